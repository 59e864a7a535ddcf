// Texts kept once each and known by a number, in the order in which they came; text 0 is "". The
// characters never move, so a view of one stays good for as long as the pool lives.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "symbols/text_numbers.h"
#include "symbols/text_slabs.h"

namespace heapledger {

class TextPool {
 public:
  TextPool() { intern({}); }

  uint32_t intern(std::string_view text) {
    const auto text_of = [this](uint32_t number) { return texts_[number]; };
    const uint32_t known = numbers_.find(text, text_of);
    if (known != TextNumbers::kNone) return known;
    const auto number = static_cast<uint32_t>(texts_.size());
    texts_.push_back(slabs_.keep(text));
    numbers_.add(number, texts_.size(), text_of);
    return number;
  }

  // "" for a number that was never given out.
  std::string_view operator[](uint32_t number) const {
    return number < texts_.size() ? texts_[number] : std::string_view();
  }
  uint32_t size() const { return static_cast<uint32_t>(texts_.size()); }

 private:
  TextSlabs slabs_;
  std::vector<std::string_view> texts_;
  TextNumbers numbers_;
};

}  // namespace heapledger
