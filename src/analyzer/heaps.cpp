#include "analyzer/heaps.h"

#include <algorithm>

namespace heapledger {
namespace {

using format::HeapKind;

constexpr size_t kMaxHeaps = 1024;
constexpr size_t kMaxName = 256;

std::string key_of(HeapKind kind, std::string_view name) {
  return std::to_string(static_cast<uint32_t>(kind)) + ' ' + std::string(name);
}

bool fits(const Patterns& patterns, const HeapFacts& heap) {
  auto matching = [&heap](const std::string& pattern) { return matches(pattern, heap.name); };
  bool in = patterns.in.empty() || std::any_of(patterns.in.begin(), patterns.in.end(), matching);
  return in && std::none_of(patterns.out.begin(), patterns.out.end(), matching);
}

template <typename Chosen>
HeapChoice choose(const HeapCatalog& catalog, Chosen chosen) {
  HeapChoice choice;
  choice.has_malloc = chosen(catalog.at(format::kMallocHeap));
  choice.others.resize(catalog.size());
  for (uint32_t i = format::kMallocHeap + 1; i < catalog.size(); ++i) {
    if (!chosen(catalog.at(i))) continue;
    choice.others[i] = 1;
    choice.has_others = true;
  }
  if (!choice.has_others) choice.others.clear();
  return choice;
}

}  // namespace

HeapCatalog::HeapCatalog() {
  heap(HeapKind::kMalloc, "malloc");
  heap(HeapKind::kMappings, "mmap");
  set_used(format::kMallocHeap);
}

uint32_t HeapCatalog::heap(HeapKind kind, std::string_view name) {
  name = name.substr(0, kMaxName);
  if (heaps_.size() + 1 == kMaxHeaps && numbers_.count(key_of(kind, name)) == 0) {
    kind = HeapKind::kPool;
    name = "other pools";
  }
  auto [found, is_new] =
      numbers_.try_emplace(key_of(kind, name), static_cast<uint32_t>(heaps_.size()));
  if (is_new) heaps_.push_back({std::string(name), kind, false});
  return found->second;
}

bool HeapCatalog::has_others() const {
  return std::any_of(heaps_.begin() + 1, heaps_.end(),
                     [](const HeapFacts& heap) { return heap.used; });
}

void LedgerHeaps::name(const format::HeapNote& note) {
  if (note.heap < format::kFirstOtherHeap) return;
  auto [known, is_new] = numbers_.try_emplace(note.heap, kUnnamed);
  if (known->second != kUnnamed) return;
  known->second = catalog_.heap(note.kind, note.name);
  if (!is_new) use(known->second);  // it has waited for its name
}

uint32_t LedgerHeaps::number_of(uint32_t heap) {
  uint32_t number = heap;
  if (heap >= format::kFirstOtherHeap) {
    number = numbers_.try_emplace(heap, kUnnamed).first->second;
  }
  if (number != kUnnamed) use(number);
  return number;
}

void LedgerHeaps::use(uint32_t number) {
  if (number == format::kMallocHeap || !used_.insert(number).second) return;
  catalog_.set_used(number);
}

void LedgerHeaps::finish() {
  for (auto& [heap, number] : numbers_) {
    if (number != kUnnamed) continue;
    number = catalog_.heap(HeapKind::kPool,
                           "pool " + std::to_string(heap - format::kFirstOtherHeap + 1));
    use(number);
  }
}

std::vector<std::string> LedgerHeaps::names() const {
  std::vector<std::string> names;
  for (uint32_t heap : used_) names.push_back(catalog_.at(heap).name);
  return names;
}

HeapChoice heaps_to_list(const HeapCatalog& catalog, const Patterns& patterns) {
  return choose(catalog, [&](const HeapFacts& heap) { return heap.used && fits(patterns, heap); });
}

HeapChoice heaps_to_add(const HeapCatalog& catalog, const Patterns& patterns) {
  if (patterns.empty()) return {};
  HeapChoice outer = choose(catalog, [&](const HeapFacts& heap) {
    return heap.used && !heap.is_inside() && fits(patterns, heap);
  });
  return outer.has_malloc || outer.has_others ? outer : heaps_to_list(catalog, patterns);
}

// A pattern without special characters would fit every name that has it inside.
Patterns exactly(const HeapFacts& heap) {
  std::string pattern;
  for (char c : heap.name) {
    bool special = c == '*' || c == '?' || c == '[' || c == '\\';
    if (special) pattern += '\\';
    if (pattern.empty()) {
      pattern += std::string("[") + c + ']';
    } else {
      pattern += c;
    }
  }
  return {{pattern}, {}};
}

std::string names_of(const HeapCatalog& catalog, const HeapChoice& choice) {
  std::string names;
  for (uint32_t i = 0; i < catalog.size(); ++i) {
    if (choice.has(i)) names += (names.empty() ? "" : ", ") + catalog.at(i).name;
  }
  return names;
}

}  // namespace heapledger
