// A live heap, made an ordinary raw ledger: every block is an allocation at its time and nothing is
// ever freed, so that every view of the end of a recording is a view of this heap. Whatever the
// heap says may be wrong: what makes no sense is left out, and told.
#pragma once

#include <string>
#include <vector>

#include "cores/live_heap.h"

namespace heapledger::cores {

// Writes `raw_ledger`, an empty file or one that is not there yet. Returns what had to be left out,
// for people, a line each; the heap's own problems are not among them. Throws Error when the file
// cannot be written.
std::vector<std::string> write_ledger(const LiveHeap& heap, const std::string& raw_ledger);

}  // namespace heapledger::cores
