// `core --leaks` and `snapshot --leaks`: the live blocks by whether the program can still get at
// them, and the sites they come from.
#pragma once

#include <string>

#include "cores/live_heap.h"
#include "cores/memory.h"

namespace heapledger::cli::core {

struct HeapOptions;

// Writes them to stdout, and what a reader has to know to stderr. Of the options: filter, top,
// frames, suppressions (of lost blocks alone), names, JSON. `name`: what the heap was read from.
// `running`: the process went on meanwhile, so that the answer is approximate. Returns the exit
// status. Throws Error.
int show_leaks(const cores::Memory& memory, cores::LiveHeap heap, const std::string& name,
               const HeapOptions& options, bool running = false);

}  // namespace heapledger::cli::core
