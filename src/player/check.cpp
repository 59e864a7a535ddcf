#include "player/check.h"

#include <string.h>

#include "player/outcome.h"

namespace heapledger::player {
namespace {

using results::Outcome;
using schedule::Word;

// Of very large blocks, only the beginning is filled: there may not be that much memory.
constexpr uint64_t kMostFilled = uint64_t{1} << 28;

uint64_t seed_of(uint32_t slot, uint64_t generation) {
  return (uint64_t{slot} << 16 | (generation & 0xffff)) * 0xd6e8feb86659fd93ULL + 1;
}

uint64_t pattern(uint64_t seed, uint64_t word) {
  return seed ^ (word * 0x9e3779b97f4a7c15ULL);
}

uint64_t filled(uint64_t size) {
  return size < kMostFilled ? size : kMostFilled;
}

void fill(void* block, uint64_t size, uint64_t seed) {
  auto* at = static_cast<char*>(block);
  uint64_t word = 0;
  for (; (word + 1) * 8 <= size; ++word) {
    const uint64_t value = pattern(seed, word);
    memcpy(at + word * 8, &value, 8);
  }
  const uint64_t value = pattern(seed, word);
  memcpy(at + word * 8, &value, size - word * 8);
}

// The offset of the first byte that is not as filled; `size`: none.
uint64_t first_change(const void* block, uint64_t size, uint64_t seed) {
  const auto* at = static_cast<const char*>(block);
  for (uint64_t word = 0; word * 8 < size; ++word) {
    const uint64_t value = pattern(seed, word);
    const uint64_t bytes = size - word * 8 < 8 ? size - word * 8 : 8;
    if (memcmp(at + word * 8, &value, bytes) == 0) continue;
    for (uint64_t byte = 0; byte < bytes; ++byte) {
      if (memcmp(at + word * 8 + byte, reinterpret_cast<const char*>(&value) + byte, 1) != 0) {
        return word * 8 + byte;
      }
    }
  }
  return size;
}

uint64_t first_not_zero(const void* block, uint64_t size) {
  const auto* at = static_cast<const char*>(block);
  uint64_t offset = 0;
  while (offset < size && at[offset] == 0) ++offset;
  return offset;
}

unsigned long long number(uint64_t value) {
  return value;
}

void check_alignment(const Call& call, const void* block, uint64_t size) {
  uint64_t alignment = size >= 16 ? 16 : 8;
  if (call.alignment > alignment) alignment = call.alignment;
  if (call.kind == Word::kValloc || call.kind == Word::kPvalloc) alignment = 4096;
  if (reinterpret_cast<uintptr_t>(block) % alignment == 0) return;
  end_run(Outcome::kBroken,
          "after %llu calls: %s gave a block of %llu bytes at %p, which is not aligned to %llu",
          calls_so_far(call), name_of(call), number(size), block, number(alignment));
}

void fill_and_keep(const Call& call, uint32_t slot, uint64_t generation, void* block,
                   uint64_t size) {
  const uint64_t seed = seed_of(slot, generation);
  if (!world.is_null) fill(block, filled(size), seed);
  world.contents[slot] = {size, seed};
  call.run.live_bytes += static_cast<int64_t>(size);
}

}  // namespace

const char* name_of(const Call& call) {
  static constexpr const char* kNames[] = {"",
                                           "malloc",
                                           "calloc",
                                           "realloc",
                                           "reallocarray",
                                           "memalign",
                                           "valloc",
                                           "pvalloc",
                                           "realloc",
                                           "reallocarray",
                                           "free",
                                           "free_sized",
                                           "free_aligned_sized",
                                           "realloc",
                                           "reallocarray",
                                           "free"};
  if (call.kind == Word::kAligned && call.aligned == schedule::Aligned::kPosixMemalign) {
    return "posix_memalign";
  }
  if (call.kind == Word::kAligned && call.aligned == schedule::Aligned::kAlignedAlloc) {
    return "aligned_alloc";
  }
  return kNames[static_cast<unsigned>(call.kind)];
}

unsigned long long calls_so_far(const Call& call) {
  const uint64_t others = __atomic_load_n(&world.results->calls, __ATOMIC_RELAXED);
  return others - call.run.calls + calls_before(call.run, call.cursor);
}

void check_new(const Call& call, uint32_t slot, uint64_t generation, void* block, uint64_t size) {
  if (!world.is_null) {
    check_alignment(call, block, size);
    if (call.kind == Word::kCalloc && first_not_zero(block, filled(size)) != filled(size)) {
      end_run(Outcome::kBroken,
              "after %llu calls: calloc gave a block of %llu bytes that is not all zero, from byte "
              "%llu on",
              calls_so_far(call), number(size), number(first_not_zero(block, size)));
    }
  }
  fill_and_keep(call, slot, generation, block, size);
}

void check_old(const Call& call, uint32_t slot, void* block) {
  const Contents old = world.contents[slot];
  call.run.live_bytes -= static_cast<int64_t>(old.size);
  if (world.is_null || block == nullptr) return;
  const uint64_t change = first_change(block, filled(old.size), old.seed);
  if (change == filled(old.size)) return;
  end_run(Outcome::kBroken,
          "after %llu calls: a block of %llu bytes at %p was overwritten while it was in use, from "
          "byte %llu on (seen before %s)",
          calls_so_far(call), number(old.size), block, number(change), name_of(call));
}

void check_resized(const Call& call, uint32_t slot, uint64_t generation, void* block,
                   uint64_t size) {
  const Contents old = world.contents[slot];
  if (!world.is_null) {
    check_alignment(call, block, size);
    const uint64_t kept = filled(old.size < size ? old.size : size);
    const uint64_t change = first_change(block, kept, old.seed);
    if (change != kept) {
      end_run(Outcome::kBroken,
              "after %llu calls: %s from %llu to %llu bytes did not keep what was in the block, "
              "from byte %llu on",
              calls_so_far(call), name_of(call), number(old.size), number(size), number(change));
    }
  }
  fill_and_keep(call, slot, generation, block, size);
}

void check_left() {
  if (world.is_null) return;
  for (uint32_t slot = 0; slot < world.header.slots; ++slot) {
    const uint64_t address = world.slots[slot].load(std::memory_order_acquire) & kAddressMask;
    if (address == 0) continue;
    const Contents left = world.contents[slot];
    const auto* block = reinterpret_cast<const void*>(address);
    const uint64_t change = first_change(block, filled(left.size), left.seed);
    if (change == filled(left.size)) continue;
    end_run(Outcome::kBroken,
            "after the last call: a block of %llu bytes at %p that is still in use was "
            "overwritten, from byte %llu on",
            number(left.size), block, number(change));
  }
}

}  // namespace heapledger::player
