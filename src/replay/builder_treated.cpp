// What if: blocks of some sites that are not allocated one by one.
#include "replay/builder.h"

namespace heapledger {
namespace {

using What = Operation::What;

constexpr uint64_t kArenaAlignment = 16;
constexpr uint64_t kLargestInArena = kArenaBytes / 4;

}  // namespace

Treatment Builder::treatment_of(const Operation& operation) const {
  if (!is_treated()) return Treatment::kAsRecorded;
  const auto found = options_.treatments.find(operation.site);
  if (found == options_.treatments.end()) return Treatment::kAsRecorded;
  const bool fits = operation.size <= kLargestInArena && operation.alignment <= kArenaAlignment;
  if (found->second == Treatment::kArena && !fits) return Treatment::kAsRecorded;
  return found->second;
}

// There is no call for it, but for a new arena.
void Builder::allocate_treated(uint32_t lane, const Operation& operation, Treatment treatment) {
  if (operation.what != What::kResize) ++facts_.treated;
  Place place;
  place.treatment = treatment;
  if (treatment == Treatment::kArena) {
    const uint64_t size = (operation.size + kArenaAlignment - 1) & ~(kArenaAlignment - 1);
    uint32_t number = lanes_[lane].arena;
    if (number == kNone || arenas_[number].used + size > kArenaBytes) {
      retire_arena(lane);
      number = new_arena(lane);
    }
    arenas_[number].used += size;
    ++arenas_[number].live;
    place.lane = number;
  }
  place_of(operation.block) = place;
}

void Builder::end_treated(uint32_t lane, const Place& place) {
  if (place.treatment != Treatment::kArena) return;
  Arena& arena = arenas_[place.lane];
  if (--arena.live != 0) return;
  arena.used = 0;  // it can be filled anew
  if (arena.retired) free_arena(lane, place.lane);
}

void Builder::free_treated(uint32_t lane, const Place& place, const Operation& operation) {
  if (operation.what == What::kFree) ++facts_.treated;
  end_treated(lane, place);
}

// False: neither the old nor the new block is treated.
bool Builder::resize_treated(uint32_t lane, const Operation& operation) {
  const Place old_place = place_of(operation.old_block);
  const Treatment treatment = treatment_of(operation);
  const bool was_treated = old_place.treatment != Treatment::kAsRecorded;
  if (!was_treated && treatment == Treatment::kAsRecorded) return false;
  if (treatment != Treatment::kAsRecorded) {
    allocate_treated(lane, operation, treatment);
  } else {
    const Place place = allocate(lane, operation.kind, operation.size, operation.alignment);
    place_of(operation.block) = place;
  }
  if (!was_treated) {
    Operation end;
    end.kind = format::Kind::kFree;
    end.old_size = operation.old_size;
    release(lane, old_place, end);
  } else {
    end_treated(lane, old_place);
  }
  if (was_treated && treatment != Treatment::kAsRecorded) ++facts_.treated;
  return true;
}

uint32_t Builder::new_arena(uint32_t lane) {
  ++facts_.arenas;
  uint32_t number = 0;
  if (unused_arenas_.empty()) {
    number = static_cast<uint32_t>(arenas_.size());
    arenas_.emplace_back();
  } else {
    number = unused_arenas_.back();
    unused_arenas_.pop_back();
  }
  Arena arena;
  arena.place = allocate(lane, format::Kind::kMalloc, kArenaBytes, 0);
  arenas_[number] = arena;
  lanes_[lane].arena = number;
  return number;
}

// No more blocks will be put into the one that the lane fills.
void Builder::retire_arena(uint32_t lane) {
  const uint32_t number = lanes_[lane].arena;
  if (number == kNone) return;
  lanes_[lane].arena = kNone;
  arenas_[number].retired = true;
  if (arenas_[number].live == 0) free_arena(lane, number);
}

void Builder::free_arena(uint32_t lane, uint32_t number) {
  Operation end;
  end.kind = format::Kind::kFree;
  end.old_size = kArenaBytes;
  release(lane, arenas_[number].place, end);
  unused_arenas_.push_back(number);
}

}  // namespace heapledger
