// The live tables as a ledger has them: written there when the program ended, or kept there all the
// time (tables=file).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "analyzer/byte_source.h"
#include "cores/live_heap.h"
#include "cores/memory.h"

namespace heapledger::cores {

// Whether the file is a raw ledger that was recorded in live mode.
bool is_live_ledger(const std::string& path);

// What its tables hold; nothing when there are none in it: the program has kept them in its memory,
// and runs on, or has ended without having written them. Throws Error when it cannot be read.
std::optional<LiveHeap> read_live_ledger(const std::string& path);

// The same of bytes from anywhere.
std::optional<LiveHeap> read_live_ledger(std::unique_ptr<ByteSource> source);

}  // namespace heapledger::cores
