#include "analyzer/counts.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "analyzer/ledger_file.h"

namespace heapledger {
namespace {

using Counted = format::Function;
using format::CountTable;

constexpr size_t kMaxTables = 4096;

// Rows of a table in the order of kCountedNames.
constexpr std::array<Counted, format::kCountedFunctions> kRows = {
    Counted::kMalloc,       Counted::kCalloc,        Counted::kRealloc,
    Counted::kReallocArray, Counted::kPosixMemalign, Counted::kAlignedAlloc,
    Counted::kMemalign,     Counted::kValloc,        Counted::kPvalloc,
    Counted::kFree,         Counted::kFreeSized,     Counted::kFreeAlignedSized,
    Counted::kUsableSize,
};

void add(CountRow& to, const CountRow& row) {
  to.calls += row.calls;
  to.bytes += row.bytes;
  to.frees += row.frees;
  to.resizes += row.resizes;
}

void add(ThreadCounts& to, const ThreadCounts& from) {
  to.threads += from.threads;
  to.only += from.only;
  to.shared |= from.shared;
  add(to.all, from.all);
  for (size_t i = 0; i < to.functions.size(); ++i) add(to.functions[i], from.functions[i]);
  for (size_t i = 0; i < to.classes.size(); ++i) add(to.classes[i], from.classes[i]);
}

ThreadCounts counts_of(const CountTable& table) {
  ThreadCounts counts;
  counts.threads = table.threads;
  counts.only = std::min(table.only_here, table.threads);
  counts.shared = (table.flags & format::kCountShared) != 0;
  counts.tid = table.tid;
  counts.name.assign(table.name, strnlen(table.name, sizeof table.name));
  for (size_t i = 0; i < kRows.size(); ++i) {
    auto place = static_cast<size_t>(kRows[i]);
    CountRow& row = counts.functions[i];
    row.frees = table.frees[place];
    row.resizes = table.resizes[place];
    for (size_t size = 0; size < format::kSizeClasses; ++size) {
      const format::CountCell& cell = table.cells[place][size];
      row.calls += cell.calls;
      row.bytes += cell.bytes;
      if (kRows[i] != Counted::kUsableSize) {
        add(counts.classes[size], {cell.calls, cell.bytes, 0, 0});
      }
    }
    if (kRows[i] != Counted::kUsableSize) add(counts.all, row);
  }
  return counts;
}

bool before(const ThreadCounts& a, const ThreadCounts& b) {
  return std::make_tuple(b.all.calls, b.all.frees, a.tid) <
         std::make_tuple(a.all.calls, a.all.frees, b.tid);
}

// A table as words; those from here on are counters, most of them 0.
constexpr size_t kLeadBytes = offsetof(CountTable, frees);
constexpr size_t kWords = (sizeof(CountTable) - kLeadBytes) / sizeof(uint64_t);

}  // namespace

void Counts::add(const Counts& other) {
  heapledger::add(all, other.all);
  threads.insert(threads.end(), other.threads.begin(), other.threads.end());
  std::stable_sort(threads.begin(), threads.end(), before);
}

Counts read_counts(LedgerFile& file) {
  Counts counts;
  for (const CountTable& table : file.count_tables()) {
    counts.threads.push_back(counts_of(table));
    counts.threads.back().pid = file.header().pid;
    heapledger::add(counts.all, counts.threads.back());
  }
  std::stable_sort(counts.threads.begin(), counts.threads.end(), before);
  return counts;
}

// For each table its first 64 bytes, the number of counters that are not 0 as u64, and of each its
// place and its value, both u64.
std::string pack_tables(const std::vector<CountTable>& tables) {
  std::string bytes;
  auto put = [&bytes](const void* from, size_t count) {
    bytes.append(static_cast<const char*>(from), count);
  };
  for (const CountTable& table : tables) {
    std::array<uint64_t, kWords> words;
    std::memcpy(words.data(), reinterpret_cast<const char*>(&table) + kLeadBytes, sizeof words);
    put(&table, kLeadBytes);
    auto used = static_cast<uint64_t>(
        std::count_if(words.begin(), words.end(), [](uint64_t word) { return word != 0; }));
    put(&used, sizeof used);
    for (uint64_t place = 0; place < kWords; ++place) {
      if (words[place] == 0) continue;
      put(&place, sizeof place);
      put(&words[place], sizeof words[place]);
    }
  }
  return bytes;
}

std::vector<CountTable> unpack_tables(std::string_view bytes) {
  std::vector<CountTable> tables;
  auto take = [&bytes](void* to, size_t count) {
    if (bytes.size() < count) return false;
    std::memcpy(to, bytes.data(), count);
    bytes.remove_prefix(count);
    return true;
  };
  while (tables.size() < kMaxTables) {
    CountTable table{};
    std::array<uint64_t, kWords> words{};
    uint64_t used = 0;
    if (!take(&table, kLeadBytes) || !take(&used, sizeof used) || used > kWords) break;
    bool whole = true;
    for (uint64_t i = 0; i < used && whole; ++i) {
      uint64_t place = 0;
      uint64_t value = 0;
      whole = take(&place, sizeof place) && take(&value, sizeof value) && place < kWords;
      if (whole) words[place] = value;
    }
    if (!whole) break;
    std::memcpy(reinterpret_cast<char*>(&table) + kLeadBytes, words.data(), sizeof words);
    tables.push_back(table);
  }
  return tables;
}

}  // namespace heapledger
