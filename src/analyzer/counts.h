// What count mode has added up: calls, bytes, frees and resizes by function and by size class, for
// each thread of a process and in all. Exact, and as it was when the ledger was read.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/count_table.h"
#include "format/functions.h"

namespace heapledger {

class LedgerFile;

struct CountRow {
  uint64_t calls = 0;  // that returned a block, resizes included
  uint64_t bytes = 0;  // that they asked for
  uint64_t frees = 0;  // of blocks, by realloc to nothing as well
  uint64_t resizes = 0;
};

struct ThreadCounts {
  uint32_t pid = 0;      // of its process
  uint64_t threads = 0;  // that have counted together here
  uint64_t only = 0;     // of them, those that nothing else in the ledger tells of
  bool shared = false;   // by threads at the same time, for want of tables
  uint64_t tid = 0;      // of the last of them
  std::string name;      // likewise
  CountRow all;
  // By format::Function. A question (malloc_usable_size) allocates nothing and is in no sum.
  std::array<CountRow, format::kHeapFunctions> functions{};
  std::array<CountRow, format::kSizeClasses> classes{};  // calls and bytes only
};

// The smallest and the largest size in a class.
constexpr uint64_t least_of_class(size_t size_class) {
  return size_class == 0 ? 0 : uint64_t{1} << (size_class - 1);
}
constexpr uint64_t most_of_class(size_t size_class) {
  return size_class == 0 ? 0 : least_of_class(size_class) * 2 - 1;
}

struct Counts {
  ThreadCounts all;
  std::vector<ThreadCounts> threads;  // the one with the most calls first

  bool empty() const { return threads.empty(); }
  void add(const Counts& other);  // of another process
};

Counts read_counts(LedgerFile& file);

// The tables of a ledger in a form for sealing; empty when there are none. And back: nothing that
// does not fit becomes a table.
std::string pack_tables(const std::vector<format::CountTable>& tables);
std::vector<format::CountTable> unpack_tables(std::string_view bytes);

}  // namespace heapledger
