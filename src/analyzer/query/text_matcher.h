// Which texts of StackNames fit any of some patterns; each is looked at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
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
    if (text >= known_.size()) known_.resize(size_t{text} + text / 2 + 1, Known::kNotYet);
    Known& known = known_[text];
    if (known == Known::kNotYet) known = look(text) ? Known::kFits : Known::kFitsNot;
    return known == Known::kFits;
  }

 private:
  enum class Known : uint8_t { kNotYet, kFits, kFitsNot };

  bool look(uint32_t text) const {
    return std::any_of(patterns_.begin(), patterns_.end(), [&](const auto& pattern) {
      return heapledger::matches(pattern, names_.text(text));
    });
  }

  std::vector<std::string> patterns_;
  const StackNames& names_;
  std::vector<Known> known_;  // by text
};

}  // namespace heapledger
