#include "analyzer/live_blocks.h"

#include <random>
#include <utility>

namespace heapledger {
namespace {

constexpr unsigned kFirstBits = 8;

uint64_t draw_seed() {
  static thread_local std::mt19937_64 source{std::random_device{}()};
  return source();
}

}  // namespace

LiveBlocks::LiveBlocks() : seed_(draw_seed()) {
  allocate(kFirstBits);
}

void LiveBlocks::allocate(unsigned bits) {
  const uint64_t capacity = uint64_t{1} << bits;
  slots_ = std::make_unique<LiveBlock[]>(capacity);
  mask_ = capacity - 1;
  limit_ = capacity / 8 * 5;
  shift_ = 64 - bits;
}

void LiveBlocks::grow() {
  const uint64_t old_mask = mask_;
  std::unique_ptr<LiveBlock[]> old = std::move(slots_);
  allocate(64 - shift_ + 1);
  for (uint64_t i = 0; i <= old_mask; ++i) {
    if (old[i].address == 0) continue;
    uint64_t at = home(old[i].address);
    while (slots_[at].address != 0) at = (at + 1) & mask_;
    slots_[at] = old[i];
  }
}

}  // namespace heapledger
