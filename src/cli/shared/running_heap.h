// The tables of a process that runs in live mode. Where its memory is, is looked up once: to read
// tables that have grown since takes a new one of these.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cores/live_heap.h"
#include "cores/live_tables.h"
#include "cores/memory.h"

namespace heapledger::cli {

// Whether a process writes a ledger, in whatever mode. Throws Error when it cannot be read.
bool is_recorded(uint32_t pid);

class RunningHeap {
 public:
  // `stopped`: its threads stand still for as long as this lives. Throws Error that says why it
  // cannot be read, and what would help.
  explicit RunningHeap(uint32_t pid, bool stopped = false);

  // As it is now.
  cores::LiveHeap read() const;

  const cores::Memory& memory() const { return *memory_; }
  std::string name() const;  // of the program: a file name

 private:
  std::unique_ptr<cores::Memory> memory_;
  cores::FoundTables tables_;
};

}  // namespace heapledger::cli
