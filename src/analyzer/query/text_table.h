// Texts, each kept once, by number. A text stays where it is: whoever has its number may read it
// while others intern more.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "symbols/text_numbers.h"
#include "symbols/text_slabs.h"

namespace heapledger {

class TextTable {
 public:
  uint32_t intern(std::string_view text) {
    const auto text_of = [this](uint32_t number) { return at(number); };
    std::lock_guard lock(mutex_);
    const uint32_t known = numbers_.find(text, text_of);
    if (known != TextNumbers::kNone) return known;
    const uint32_t number = size_++;
    const Place place = place_of(number);
    if (pieces_[place.piece] == nullptr) {
      pieces_[place.piece] = std::make_unique<std::string_view[]>(kFirst << place.piece);
    }
    pieces_[place.piece][place.at] = slabs_.keep(text);
    numbers_.add(number, size_, text_of);
    return number;
  }

  std::string_view at(uint32_t number) const {
    const Place place = place_of(number);
    return pieces_[place.piece][place.at];
  }

 private:
  // Every piece is twice as long as the one before.
  static constexpr size_t kFirst = 1024;
  struct Place {
    unsigned piece;
    size_t at;
  };
  static Place place_of(uint32_t number) {
    const size_t sum = kFirst + number;
    const auto piece = static_cast<unsigned>(std::bit_width(sum) - std::bit_width(kFirst));
    return {piece, sum - (kFirst << piece)};
  }

  std::mutex mutex_;
  std::array<std::unique_ptr<std::string_view[]>, 24> pieces_;
  uint32_t size_ = 0;
  TextSlabs slabs_;
  TextNumbers numbers_;
};

}  // namespace heapledger
