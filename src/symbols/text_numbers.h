// Which number a text has, for those who keep texts by number: an open-addressing table of nothing
// but numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace heapledger {

class TextNumbers {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // kNone: it has none yet. `text_of` gives the text of a number.
  template <typename TextOf>
  uint32_t find(std::string_view text, const TextOf& text_of) const {
    if (slots_.empty()) return kNone;
    for (size_t at = place_of(text);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] == kNone || text_of(slots_[at]) == text) return slots_[at];
    }
  }

  // One that is not there; so many are, with it.
  template <typename TextOf>
  void add(uint32_t number, size_t count, const TextOf& text_of) {
    if (count * 3 > slots_.size() * 2) {
      const std::vector<uint32_t> before =
          std::exchange(slots_, std::vector<uint32_t>(grown(slots_.size()), kNone));
      for (uint32_t one : before) {
        if (one != kNone) put(one, text_of(one));
      }
    }
    put(number, text_of(number));
  }

 private:
  static size_t grown(size_t slots) { return slots == 0 ? 64 : 2 * slots; }
  size_t place_of(std::string_view text) const {
    return std::hash<std::string_view>()(text) & (slots_.size() - 1);
  }
  void put(uint32_t number, std::string_view text) {
    size_t at = place_of(text);
    while (slots_[at] != kNone) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = number;
  }

  std::vector<uint32_t> slots_;
};

}  // namespace heapledger
