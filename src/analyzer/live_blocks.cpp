#include "analyzer/live_blocks.h"

#include <sys/mman.h>

#include <new>
#include <random>
#include <utility>

namespace heapledger {
namespace {

constexpr unsigned kFirstBits = 7;
constexpr size_t kSmallTable = size_t{1} << 19;
constexpr size_t kLargeTable = size_t{4} << 20;

uint64_t draw_seed() {
  static thread_local std::mt19937_64 source{std::random_device{}()};
  return source();
}

}  // namespace

void LiveBlocks::Unmap::operator()(LiveBlock* slots) const {
  ::munmap(slots, bytes);
}

LiveBlocks::LiveBlocks() : seed_(draw_seed()) {
  allocate(kFirstBits);
}

void LiveBlocks::allocate(unsigned bits) {
  const uint64_t capacity = uint64_t{1} << bits;
  const size_t bytes = capacity * sizeof(LiveBlock);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  // Every access goes to a random place: with small pages most would miss the TLB as well.
  if (bytes >= kLargeTable) ::madvise(memory, bytes, MADV_HUGEPAGE);
  slots_ = Slots(static_cast<LiveBlock*>(memory), Unmap{bytes});
  mask_ = capacity - 1;
  // Whether one more place has to be looked at is what processors guess wrongly, so few places are
  // taken: fewest where all fit into the cache of one processor anyway.
  limit_ = bytes <= kSmallTable ? capacity / 4 : capacity / 2;
  shift_ = 64 - bits;
}

void LiveBlocks::grow() {
  const uint64_t old_mask = mask_;
  Slots old = std::move(slots_);
  allocate(64 - shift_ + 1);
  for (uint64_t i = 0; i <= old_mask; ++i) {
    if (old[i].address == 0) continue;
    uint64_t at = home(old[i].address);
    while (slots_[at].address != 0) at = (at + 1) & mask_;
    slots_[at] = old[i];
  }
}

}  // namespace heapledger
