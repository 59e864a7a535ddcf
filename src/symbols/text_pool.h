// Texts kept once each and known by a number, in the order in which they came; text 0 is "". The
// characters never move, so a view of one stays good for as long as the pool lives.
#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace heapledger {

class TextPool {
 public:
  TextPool() { intern({}); }

  uint32_t intern(std::string_view text);

  // "" for a number that was never given out.
  std::string_view operator[](uint32_t number) const {
    return number < texts_.size() ? texts_[number] : std::string_view();
  }
  uint32_t size() const { return static_cast<uint32_t>(texts_.size()); }

 private:
  std::string_view keep(std::string_view text);

  std::vector<std::unique_ptr<char[]>> slabs_;
  char* free_ = nullptr;
  size_t left_ = 0;
  std::vector<std::string_view> texts_;
  tsl::robin_map<std::string_view, uint32_t> numbers_;
};

}  // namespace heapledger
