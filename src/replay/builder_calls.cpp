// How operations become words of the schedule.
#include <algorithm>
#include <bit>
#include <string>

#include "analyzer/error.h"
#include "replay/builder.h"

namespace heapledger {
namespace {

using format::Kind;
using schedule::Aligned;
using schedule::make_word;
using schedule::Word;
using What = Operation::What;

Word allocating_word(Kind kind) {
  switch (kind) {
    case Kind::kCalloc:
      return Word::kCalloc;
    case Kind::kReallocNew:
    case Kind::kRealloc:  // of a block that is not there
      return Word::kReallocNew;
    case Kind::kReallocArrayNew:
    case Kind::kReallocArray:
      return Word::kReallocArrayNew;
    case Kind::kValloc:
      return Word::kValloc;
    case Kind::kPvalloc:
      return Word::kPvalloc;
    case Kind::kPosixMemalign:
    case Kind::kAlignedAlloc:
    case Kind::kMemalign:
      return Word::kAligned;
    default:
      return Word::kMalloc;
  }
}

Word freeing_word(Kind kind) {
  switch (kind) {
    case Kind::kFreeSized:
      return Word::kFreeSized;
    case Kind::kFreeAlignedSized:
      return Word::kFreeAlignedSized;
    case Kind::kReallocFree:
      return Word::kReallocFree;
    case Kind::kReallocArrayFree:
      return Word::kReallocArrayFree;
    default:
      return Word::kFree;
  }
}

uint32_t aligned_argument(Kind kind, uint64_t alignment) {
  constexpr unsigned kLeast = 3;  // of posix_memalign
  unsigned logarithm = kLeast;
  if (alignment > 1) logarithm = static_cast<unsigned>(std::bit_width(alignment - 1));
  logarithm = std::min(logarithm, 63u);
  Aligned function = Aligned::kMemalign;
  if (kind == Kind::kPosixMemalign) function = Aligned::kPosixMemalign;
  if (kind == Kind::kAlignedAlloc) function = Aligned::kAlignedAlloc;
  return logarithm | static_cast<uint32_t>(function) << 8;
}

}  // namespace

void Builder::play(uint32_t lane, const Operation& operation) {
  switch (operation.what) {
    case What::kResizeUnknown:
      ++facts_.unknown_resizes;
      [[fallthrough]];
    case What::kAllocate: {
      const Treatment treatment = treatment_of(operation);
      if (treatment != Treatment::kAsRecorded) {
        return allocate_treated(lane, operation, treatment);
      }
      place_of(operation.block) =
          allocate(lane, operation.kind, operation.size, operation.alignment);
      return;
    }
    case What::kResize:
      return resize(lane, operation);
    case What::kFree:
    case What::kFreeLost: {
      const Place place = place_of(operation.old_block);
      if (place.treatment == Treatment::kAsRecorded) return release(lane, place, operation);
      return free_treated(lane, place, operation);
    }
    case What::kFreeNull:
      return call(lane, Word::kFreeNull, 0, 0);
    case What::kFailed:
      return fail(lane, operation);
  }
}

// A call and what has to stand before it; kTake and kAlign are there already.
void Builder::call(uint32_t lane, Word word, uint32_t slot, uint64_t size) {
  if (size >> 32 != 0) put(lane, make_word(Word::kHigh, 0, static_cast<uint32_t>(size >> 32)));
  put(lane, make_word(word, slot, static_cast<uint32_t>(size)));
  ++lanes_[lane].totals.calls;
  ++calls_;
}

void Builder::align(uint32_t lane, Kind kind, uint64_t alignment) {
  put(lane, make_word(Word::kAlign, 0, aligned_argument(kind, alignment)));
}

void Builder::fail(uint32_t lane, const Operation& operation) {
  const Word word = allocating_word(operation.kind);
  put(lane, make_word(Word::kFails, 0, 0));
  if (word == Word::kAligned) align(lane, operation.kind, operation.alignment);
  const uint32_t slot = hand(lanes_[lane].slots);  // it stays empty
  call(lane, word, lanes_[lane].first_slot + slot, operation.size);
}

Builder::Place Builder::allocate(uint32_t lane, Kind kind, uint64_t size, uint64_t alignment) {
  await_frees(lane);
  Place place;
  place.lane = lane;
  LaneSlots& slots = lanes_[lane].slots;
  place.slot = new_slot(slots);
  place.generation = slots.put(place.slot);
  const Word word = allocating_word(kind);
  if (word == Word::kAligned) align(lane, kind, alignment);
  call(lane, word, global_slot(place), size);
  count_birth(lane, size);
  return place;
}

// The block in that place, or in the lane's own slot that it is moved to for the call that follows.
uint32_t Builder::take_over(uint32_t lane, const Place& place, uint32_t slot) {
  put(lane, make_word(Word::kTake, global_slot(place), place.generation));
  lanes_[place.lane].slots.emptied_elsewhere(place.slot);
  return lanes_[lane].first_slot + slot;
}

void Builder::release(uint32_t lane, const Place& place, const Operation& operation) {
  const Word word = freeing_word(operation.kind);
  if (word == Word::kFreeAlignedSized) align(lane, operation.kind, operation.alignment);
  LaneSlots& slots = lanes_[lane].slots;
  if (place.lane == lane) {
    call(lane, word, global_slot(place), operation.old_size);
    slots.emptied(place.slot);
  } else {
    call(lane, word, take_over(lane, place, hand(slots)), operation.old_size);
  }
  count_free(lane, operation.old_size);
}

void Builder::resize(uint32_t lane, const Operation& operation) {
  if (is_treated() && resize_treated(lane, operation)) return;
  await_frees(lane);
  Place place = place_of(operation.old_block);
  LaneSlots& slots = lanes_[lane].slots;
  uint32_t slot = 0;
  if (place.lane == lane) {
    slot = global_slot(place);
  } else {
    const uint32_t own = new_slot(slots);
    slot = take_over(lane, place, own);
    place.slot = own;
    place.lane = lane;
  }
  place.generation = slots.put(place.slot);
  const bool is_array = operation.kind == Kind::kReallocArray;
  call(lane, is_array ? Word::kReallocArray : Word::kRealloc, slot, operation.size);
  place_of(operation.block) = place;
  lanes_[lane].totals.freed_bytes += operation.old_size;
  live_bytes_ -= operation.old_size;
  --live_blocks_;
  count_birth(lane, operation.size);
}

void Builder::count_birth(uint32_t lane, uint64_t size) {
  lanes_[lane].totals.allocated_bytes += size;
  live_bytes_ += size;
  ++live_blocks_;
  largest_ = std::max(largest_, size);
}

uint32_t Builder::new_slot(LaneSlots& slots) {
  const uint32_t before = slots.count();
  const uint32_t slot = slots.take();
  count_slots(slots.count() - before);
  return slot;
}

uint32_t Builder::hand(LaneSlots& slots) {
  const uint32_t before = slots.count();
  const uint32_t slot = slots.hand();
  count_slots(slots.count() - before);
  return slot;
}

void Builder::count_slots(uint32_t more) {
  slots_ += more;
  if (slots_ <= schedule::kMaxSlots) return;
  throw Error("the program has more than " + std::to_string(schedule::kMaxSlots) +
                  " blocks at a time, which is too many to play again",
              ErrorKind::kData);
}

}  // namespace heapledger
