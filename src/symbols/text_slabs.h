// Room for characters that never move.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace heapledger {

class TextSlabs {
 public:
  // A copy, for as long as this lives.
  std::string_view keep(std::string_view text);

 private:
  std::vector<std::unique_ptr<char[]>> slabs_;
  char* free_ = nullptr;
  size_t left_ = 0;
};

}  // namespace heapledger
