#include "runtime/modes/live_blocks.h"

#include "runtime/os/os.h"
#include "runtime/unwind/shared_memory.h"

namespace heapledger::runtime {
namespace {

constexpr unsigned kMaxLevels = 17;
// 256 KiB, touched as they are needed.
constinit LiveLine first_level[1u << kFirstLevelBits] = {};
constinit std::atomic<LiveLine*> levels[kMaxLevels] = {first_level};

constexpr unsigned bits_of(unsigned level) {
  return level == 0 ? kFirstLevelBits : kFirstLevelBits + level - 1;
}
static_assert(bits_of(kMaxLevels - 1) - kFirstLevelBits < kSlotsPerLine);

constexpr size_t bytes_of(unsigned level) {
  return sizeof(LiveLine) << bits_of(level);
}

unsigned newest() {
  LiveLevel level(newest_live_level.load(std::memory_order_acquire));
  return level.lines == first_level ? 0 : level.bits - kFirstLevelBits + 1;
}

uint64_t home_of(LiveHash hash, unsigned level) {
  return hash.value >> (64 - bits_of(level));
}

bool put(LiveHash hash, LiveSlot value, unsigned top) {
  for (unsigned level = top + 1; level-- > 0;) {
    LiveLine* lines = levels[level].load(std::memory_order_acquire);
    uint64_t home = home_of(hash, level);
    if (put_in_line(lines[home], hash, value) || put_in_line(lines[home ^ 1], hash, value))
      return true;
  }
  return false;
}

LiveSlot* word_of(unsigned level) {
  LiveLine* lines = levels[level].load(std::memory_order_acquire);
  return lines[0].slots + (bits_of(level) - kFirstLevelBits);
}

// Makes sure that there is a level after this one.
bool add_level(unsigned after) {
  if (after + 1 >= kMaxLevels) return false;
  if (provide(levels[after + 1], bytes_of(after + 1)) == nullptr) return false;
  LiveSlot* before = word_of(after);
  newest_live_level.compare_exchange_strong(before, word_of(after + 1), std::memory_order_acq_rel);
  return true;
}

}  // namespace

constinit std::atomic<LiveSlot*> newest_live_level{first_level[0].slots};

bool put_elsewhere(LiveHash hash, LiveSlot value) {
  for (;;) {
    unsigned top = newest();
    if (put(hash, value, top)) return true;
    if (!add_level(top)) return false;
  }
}

LivePlace find_elsewhere(LiveHash hash, PackedAddress address) {
  const unsigned top = newest();
  for (unsigned level = top + 1; level-- > 0;) {
    LiveLine* lines = levels[level].load(std::memory_order_acquire);
    uint64_t home = home_of(hash, level);
    for (uint64_t side = 0; side < 2; ++side) {
      LivePlace place;
      bool ends_here = false;
      place.slot = find_in_line(lines[home ^ side], hash, address, place.value, ends_here);
      if (place) return place;
      if (ends_here) break;
    }
  }
  return {};
}

void forget_live_records(bool all) {
  forget_free_records(all);
  if (!all) return;
  newest_live_level.store(word_of(0), std::memory_order_relaxed);
  for (unsigned level = 1; level < kMaxLevels; ++level) drop(levels[level], bytes_of(level));
  for (LiveLine& line : first_level) {
    for (LiveSlot& slot : line.slots) store_word(slot, kEmptySlot);
  }
}

}  // namespace heapledger::runtime
