// What `heapledger core` and `heapledger snapshot` do with the heap they have read: every view of a
// report, leaks, or a ledger to keep.
#pragma once

#include <string>

#include "cli/report/options.h"
#include "cores/live_heap.h"
#include "cores/memory.h"

namespace heapledger::cli {
class Command;
}

namespace heapledger::cli::core {

struct HeapOptions {
  report::ReportOptions view;
  std::string out;      // a ledger to be made
  std::string sysroot;  // where the modules' files are looked for first
  bool leaks = false;
  bool quiet = false;
};

void add_heap_options(Command& command, HeapOptions& options);

// `name`: what to call it, as a file name. Returns the exit status.
int show_heap(const cores::Memory& memory, cores::LiveHeap heap, const std::string& name,
              HeapOptions options);

// The same without the memory, for which nobody waits then: no leaks. `status` is what is wrong
// already.
int show_report(cores::LiveHeap heap, const std::string& name, HeapOptions options, int status);

}  // namespace heapledger::cli::core
