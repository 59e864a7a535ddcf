// The heaps of all ledgers under analysis. malloc's is one of them; mappings, and the pools that a
// program announces, are others. Heaps of the same kind and name are one, in whatever process.
//
// What may be added together is decided here and nowhere else: malloc's heap and mappings are
// memory of their own, a pool lies in memory of one of them. So pools are never added to these,
// only to one another.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/query/filter.h"
#include "format/heap_event.h"

namespace heapledger {

struct HeapFacts {
  std::string name;
  format::HeapKind kind = format::HeapKind::kMalloc;
  bool used = false;  // something has happened in it

  // It lies in memory that another heap's figures have already.
  bool is_inside() const { return format::row_of(kind).is_inside; }
  bool has_ranges() const { return format::row_of(kind).has_ranges; }
};

class HeapCatalog {
 public:
  HeapCatalog();

  // The number of a heap, a new one if there is none; the last one there can be stands for all that
  // come too late. Numbers 0 and 1 are those of the format.
  uint32_t heap(format::HeapKind kind, std::string_view name);
  void set_used(uint32_t heap) { heaps_[heap].used = true; }

  const HeapFacts& at(uint32_t heap) const { return heaps_[heap]; }
  uint32_t size() const { return static_cast<uint32_t>(heaps_.size()); }
  // There is more than malloc's.
  bool has_others() const;

 private:
  std::vector<HeapFacts> heaps_;
  std::unordered_map<std::string, uint32_t> numbers_;
};

// The heaps of one ledger, by its numbers.
class LedgerHeaps {
 public:
  explicit LedgerHeaps(HeapCatalog& catalog) : catalog_(catalog) {}

  void name(const format::HeapNote& note);
  // The heap in the catalog. One that was used before it had a name waits for it.
  uint32_t number_of(uint32_t heap);
  // All names have been seen.
  void finish();
  // Of those that were used, malloc's aside.
  std::vector<std::string> names() const;

  static constexpr uint32_t kUnnamed = UINT32_MAX;

 private:
  void use(uint32_t number);

  HeapCatalog& catalog_;
  std::unordered_map<uint32_t, uint32_t> numbers_;
  std::set<uint32_t> used_;
};

// Some of the heaps.
struct HeapChoice {
  bool has_malloc = true;
  bool has_others = false;
  std::vector<char> others;  // by number

  bool has(uint32_t heap) const {
    if (heap == format::kMallocHeap) return has_malloc;
    return heap < others.size() && others[heap] != 0;
  }
  bool operator==(const HeapChoice&) const = default;
};

// What figures are of: the heaps that fit the patterns and may be added together. Without patterns
// malloc's; pools only where nothing else fits.
HeapChoice heaps_to_add(const HeapCatalog& catalog, const Patterns& patterns);

// What can be told apart: all heaps that fit; without patterns all there are.
HeapChoice heaps_to_list(const HeapCatalog& catalog, const Patterns& patterns);

// What fits that one alone.
Patterns exactly(const HeapFacts& heap);

// "malloc", "malloc, mmap": for people.
std::string names_of(const HeapCatalog& catalog, const HeapChoice& choice);

}  // namespace heapledger
