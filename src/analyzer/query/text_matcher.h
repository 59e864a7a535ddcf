// Which texts of StackNames fit any of some patterns; each is looked at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/query/filter.h"
#include "analyzer/query/stack_names.h"

namespace heapledger {

class TextMatcher {
 public:
  TextMatcher(std::vector<std::string> patterns, const StackNames& names)
      : patterns_(std::move(patterns)), names_(names) {}

  // An empty pattern is none.
  TextMatcher(const std::string& pattern, const StackNames& names) : names_(names) {
    if (!pattern.empty()) patterns_.push_back(pattern);
  }

  bool has_patterns() const { return !patterns_.empty(); }

  bool matches(uint32_t text) {
    if (patterns_.empty()) return false;
    auto [found, is_new] = known_.try_emplace(text, false);
    if (is_new) {
      found->second = std::any_of(patterns_.begin(), patterns_.end(), [&](const auto& pattern) {
        return heapledger::matches(pattern, names_.text(text));
      });
    }
    return found->second;
  }

 private:
  std::vector<std::string> patterns_;
  const StackNames& names_;
  std::unordered_map<uint32_t, bool> known_;
};

}  // namespace heapledger
