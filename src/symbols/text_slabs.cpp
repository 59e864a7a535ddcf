#include "symbols/text_slabs.h"

#include <cstring>

namespace heapledger {
namespace {

constexpr size_t kSlabBytes = 64 * 1024;

}  // namespace

std::string_view TextSlabs::keep(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > kSlabBytes / 8) {  // a slab of its own, so that little is wasted
    slabs_.push_back(std::make_unique_for_overwrite<char[]>(text.size()));
    std::memcpy(slabs_.back().get(), text.data(), text.size());
    return {slabs_.back().get(), text.size()};
  }
  if (text.size() > left_) {
    slabs_.push_back(std::make_unique_for_overwrite<char[]>(kSlabBytes));
    free_ = slabs_.back().get();
    left_ = kSlabBytes;
  }
  char* const start = free_;
  std::memcpy(start, text.data(), text.size());
  free_ += text.size();
  left_ -= text.size();
  return {start, text.size()};
}

}  // namespace heapledger
