#include "runtime/modes/statistics.h"

#include "runtime/ledger/settings_in_force.h"
#include "runtime/modes/real_calls.h"
#include "runtime/modes/thread_statistics.h"

namespace heapledger::runtime {
namespace {

// Blocks of the early arena are ours, and count for nothing.
bool is_block(const void* block) {
  return block != nullptr && !in_early_arena(block);
}

void* took(void* block, size_t size) {
  if (block != nullptr) add_change({size, real_usable_size(block), 1, true, false, false});
  return block;
}

// Before the real free: afterwards another thread may have it.
void giving(void* block) {
  if (is_block(block)) {
    add_change({0, 0 - real_usable_size(block), ~uint64_t{0}, false, false, true});
  }
}

// What a resize did, told by the usable size before it.
void* resized(void* old_block, size_t before, void* block, size_t size) {
  if (!is_block(old_block)) return took(block, size);
  if (block != nullptr) {
    add_change({size, real_usable_size(block) - before, 0, true, true, false});
  } else if (size == 0) {
    add_change({0, 0 - before, ~uint64_t{0}, false, false, true});
  }
  return block;
}

size_t size_before(void* block) {
  return is_block(block) ? real_usable_size(block) : 0;
}

// The functions of `kMode` with statistics on top.
template <const Mode* kMode>
constexpr Mode kCounted = {
    [](size_t size, HEAPLEDGER_CALLER) { return took(kMode->malloc(size, pc, sp, bp), size); },
    [](void* block, HEAPLEDGER_CALLER) {
      giving(block);
      kMode->free(block, pc, sp, bp);
    },
    [](size_t count, size_t size, HEAPLEDGER_CALLER) {
      return took(kMode->calloc(count, size, pc, sp, bp), count * size);
    },
    [](void* block, size_t size, HEAPLEDGER_CALLER) {
      size_t before = size_before(block);
      return resized(block, before, kMode->realloc(block, size, pc, sp, bp), size);
    },
    [](void* block, size_t count, size_t size, HEAPLEDGER_CALLER) {
      size_t before = size_before(block);
      size_t bytes;
      if (__builtin_mul_overflow(count, size, &bytes))
        bytes = SIZE_MAX;  // that it fails is certain
      return resized(block, before, kMode->reallocarray(block, count, size, pc, sp, bp), bytes);
    },
    [](void** result, size_t alignment, size_t size, HEAPLEDGER_CALLER) {
      int error = kMode->posix_memalign(result, alignment, size, pc, sp, bp);
      if (error == 0) took(*result, size);
      return error;
    },
    [](size_t alignment, size_t size, HEAPLEDGER_CALLER) {
      return took(kMode->aligned_alloc(alignment, size, pc, sp, bp), size);
    },
    [](size_t alignment, size_t size, HEAPLEDGER_CALLER) {
      return took(kMode->memalign(alignment, size, pc, sp, bp), size);
    },
    [](size_t size, HEAPLEDGER_CALLER) { return took(kMode->valloc(size, pc, sp, bp), size); },
    [](size_t size, HEAPLEDGER_CALLER) { return took(kMode->pvalloc(size, pc, sp, bp), size); },
    [](void* block, size_t size, HEAPLEDGER_CALLER) {
      giving(block);
      kMode->free_sized(block, size, pc, sp, bp);
    },
    [](void* block, size_t alignment, size_t size, HEAPLEDGER_CALLER) {
      giving(block);
      kMode->free_aligned_sized(block, alignment, size, pc, sp, bp);
    },
    [](void* block, HEAPLEDGER_CALLER) { return kMode->malloc_usable_size(block, pc, sp, bp); },
};

struct Pair {
  const Mode* mode;
  const Mode* counted;
};
constexpr Pair kPairs[] = {
    {&kTraceMode, &kCounted<&kTraceMode>},
    {&kOffMode, &kCounted<&kOffMode>},
    {&kCountMode, &kCounted<&kCountMode>},
    {&kLogMode, &kCounted<&kLogMode>},
    {&kSampleBytesMode, &kCounted<&kSampleBytesMode>},
    {&kSampleCallsMode, &kCounted<&kSampleCallsMode>},
    {&kLiveMode, &kCounted<&kLiveMode>},
    {&kLiveBytesMode, &kCounted<&kLiveBytesMode>},
    {&kLiveCallsMode, &kCounted<&kLiveCallsMode>},
    {&kLivePausedMode, &kCounted<&kLivePausedMode>},
};

}  // namespace

bool statistics_wanted() {
  const settings::Settings& asked = settings_in_force;
  return asked.statistics || asked.every_ns != 0 || asked.skip_smaller_than != 0;
}

const Mode* with_statistics(const Mode* mode) {
  for (const Pair& pair : kPairs) {
    if (pair.mode == mode) return pair.counted;
  }
  return mode;
}

}  // namespace heapledger::runtime
