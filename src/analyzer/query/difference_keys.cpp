#include "analyzer/query/difference_keys.h"

namespace heapledger {

uint32_t KeyNumbers::text(const std::string& text) {
  auto [found, is_new] = texts_.try_emplace(text, next_);
  if (is_new) ++next_;
  return found->second;
}

uint32_t KeyNumbers::pair(uint32_t first, uint32_t second) {
  auto [found, is_new] = pairs_.try_emplace(uint64_t{first} << 32 | second, next_);
  if (is_new) ++next_;
  return found->second;
}

uint32_t DifferenceKeys::key(size_t side, const Row& row) {
  switch (by_) {
    case GroupBy::kFunction:
    case GroupBy::kLine:
      if (!row.function.empty() || !row.file.empty()) return numbers_.text("name " + row.name);
      return numbers_.text("code " + builds_.unnamed(side, row.name, row.module));
    case GroupBy::kThread:
      // Where a thread has no name, its number stands for it, and that means nothing later.
      if (row.name == "thread " + std::to_string(row.key)) return numbers_.text("no name");
      return numbers_.text("name " + row.name);
    default:
      return numbers_.text("name " + row.name);
  }
}

std::string DifferenceKeys::weak_key(const Row& row) const {
  if (builds_.same_ledgers()) return {};
  if (by_ == GroupBy::kFunction) return row.function.empty() ? "" : plain_function(row.function);
  bool by_path = by_ == GroupBy::kFile || by_ == GroupBy::kModule;
  return by_path ? base_name_of(row.name) : std::string();
}

}  // namespace heapledger
