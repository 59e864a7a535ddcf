// Texts, each kept once, by number. A text stays where it is: whoever has its number may read it
// while others intern more.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace heapledger {

class TextTable {
 public:
  uint32_t intern(std::string_view text) {
    std::lock_guard lock(mutex_);
    auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<uint32_t>(numbers_.size());
    const Place place = place_of(number);
    if (pieces_[place.piece] == nullptr) {
      pieces_[place.piece] = std::make_unique<std::string[]>(kFirst << place.piece);
    }
    std::string& kept = pieces_[place.piece][place.at];
    kept = text;
    numbers_.emplace(kept, number);
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
  std::array<std::unique_ptr<std::string[]>, 24> pieces_;
  std::unordered_map<std::string_view, uint32_t> numbers_;
};

}  // namespace heapledger
