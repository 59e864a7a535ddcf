// Trace mode: every call that succeeded becomes an entry.
//
// A free is stamped and entered before the real free, an allocation after the real allocation,
// a resize on both edges: so the stamps order threads rightly even when an address is used again
// at once. errno is the real call's: nothing in here touches it.
//
// malloc and free, nearly all of the traffic, have a quick path without a call or a loop; whatever
// it cannot do at once it leaves to the general path, which never comes back to it, so that the
// quick path needs no saved registers.
#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/memory_sample.h"
#include "runtime/modes/mode.h"
#include "runtime/modes/real_calls.h"
#include "runtime/modes/resize_kinds.h"

namespace heapledger::runtime {
namespace {

using format::Kind;

uint64_t address(const void* block) {
  return reinterpret_cast<uint64_t>(block);
}

void enter_allocation(Kind kind, const void* block, size_t size, const Caller& caller) {
  EntryGuard guard;
  if (!guard) return;
  uint64_t time = stamp(*guard);
  uint32_t site = site_for(*guard, caller, time, size);
  format::append_allocation((*guard).encoder, kind, time, address(block), site, size);
}

void enter_aligned(Kind kind, const void* block, size_t alignment, size_t size,
                   const Caller& caller) {
  EntryGuard guard;
  if (!guard) return;
  uint64_t time = stamp(*guard);
  uint32_t site = site_for(*guard, caller, time, size);
  format::append_aligned((*guard).encoder, kind, time, address(block), site, size, alignment);
}

void enter_other_free(Kind kind, const void* block, uint64_t time) {
  EntryGuard guard;
  if (!guard) return;
  format::append_other_free((*guard).encoder, kind, time, address(block));
}

__attribute__((noinline, cold)) void* enter_malloc_slowly(void* block, size_t size,
                                                          const Caller& caller) {
  EntryGuard guard;
  if (!guard) return block;
  uint64_t time = stamp(*guard);
  uint32_t site = site_for(*guard, caller, time, size);
  format::append_malloc((*guard).encoder, time, address(block), site, size);
  return block;
}

__attribute__((noinline, cold)) void free_slowly(void* block) {
  {
    EntryGuard guard;
    if (guard) {
      uint64_t time = stamp(*guard);
      format::append_free((*guard).encoder, time, address(block));
    }
  }
  real_heap.free(block);
}

void* trace_malloc(size_t size, HEAPLEDGER_CALLER) {
  void* block = real_heap.malloc(size);
  if (__builtin_expect(block == nullptr, 0)) return nullptr;
  uint64_t time;
  Window* window = quick_window(time, size);
  if (__builtin_expect(window == nullptr, 0)) return enter_malloc_slowly(block, size, {pc, sp, bp});
  uint32_t site = site_for(*window, time, size, pc, sp, bp);
  format::append_malloc(window->encoder, time, address(block), site, size);
  quick_end();
  return block;
}

void trace_free(void* block, uint64_t, uint64_t, uint64_t) {
  if (__builtin_expect(block == nullptr || in_early_arena(block), 0)) return;
  uint64_t time;
  Window* window = quick_window(time, 0);
  if (__builtin_expect(window == nullptr, 0)) return free_slowly(block);
  format::append_free(window->encoder, time, address(block));
  quick_end();
  real_heap.free(block);
}

void* trace_calloc(size_t count, size_t size, HEAPLEDGER_CALLER) {
  void* block = real_heap.calloc(count, size);
  if (block != nullptr) enter_allocation(Kind::kCalloc, block, count * size, {pc, sp, bp});
  return block;
}

void enter_resize(Kind kind, uint64_t begin, const void* old_block, const void* block, size_t size,
                  const Caller& caller) {
  EntryGuard guard;
  if (!guard) return;
  // The site is entered with the earlier time: nothing may move the clock past `begin`.
  uint32_t site = site_for(*guard, caller, begin, size);
  uint64_t end = now_units();
  format::append_resize((*guard).encoder, kind, begin, address(old_block), end, address(block),
                        site, size);
}

void* resize(const ResizeKinds& kinds, void* old_block, size_t size, const Caller& caller) {
  if (old_block == nullptr || in_early_arena(old_block)) {
    void* block = real_realloc(old_block, size);
    if (block != nullptr) enter_allocation(kinds.fresh, block, size, caller);
    return block;
  }
  // A thread's first entry describes the thread, with a time of its own: before ours.
  if (thread_slot.window == nullptr) EntryGuard attach(Missed::kNothing);
  uint64_t begin = time_if_allowed();
  void* block = real_heap.realloc(old_block, size);
  if (block != nullptr) {
    enter_resize(kinds.resize, begin, old_block, block, size, caller);
  } else if (size == 0) {
    enter_other_free(kinds.freed, old_block, begin);
  }
  return block;
}

void* trace_realloc(void* block, size_t size, HEAPLEDGER_CALLER) {
  return resize(kRealloc, block, size, {pc, sp, bp});
}

void* trace_reallocarray(void* block, size_t count, size_t size, HEAPLEDGER_CALLER) {
  size_t bytes;
  if (!array_bytes(count, size, bytes)) return nullptr;
  return resize(kReallocArray, block, bytes, {pc, sp, bp});
}

int trace_posix_memalign(void** result, size_t alignment, size_t size, HEAPLEDGER_CALLER) {
  int error = real_heap.posix_memalign(result, alignment, size);
  if (error == 0 && *result != nullptr) {
    enter_aligned(Kind::kPosixMemalign, *result, alignment, size, {pc, sp, bp});
  }
  return error;
}

void* trace_aligned_alloc(size_t alignment, size_t size, HEAPLEDGER_CALLER) {
  void* block = real_heap.aligned_alloc(alignment, size);
  if (block != nullptr) enter_aligned(Kind::kAlignedAlloc, block, alignment, size, {pc, sp, bp});
  return block;
}

void* trace_memalign(size_t alignment, size_t size, HEAPLEDGER_CALLER) {
  void* block = real_heap.memalign(alignment, size);
  if (block != nullptr) enter_aligned(Kind::kMemalign, block, alignment, size, {pc, sp, bp});
  return block;
}

void* trace_valloc(size_t size, HEAPLEDGER_CALLER) {
  void* block = real_heap.valloc(size);
  if (block != nullptr) enter_allocation(Kind::kValloc, block, size, {pc, sp, bp});
  return block;
}

void* trace_pvalloc(size_t size, HEAPLEDGER_CALLER) {
  void* block = real_heap.pvalloc(size);
  if (block != nullptr) enter_allocation(Kind::kPvalloc, block, size, {pc, sp, bp});
  return block;
}

void trace_free_sized(void* block, size_t, uint64_t, uint64_t, uint64_t) {
  if (block == nullptr) return;
  if (!in_early_arena(block)) enter_other_free(Kind::kFreeSized, block, time_if_allowed());
  real_free(block);
}

void trace_free_aligned_sized(void* block, size_t, size_t, uint64_t, uint64_t, uint64_t) {
  if (block == nullptr) return;
  if (!in_early_arena(block)) enter_other_free(Kind::kFreeAlignedSized, block, time_if_allowed());
  real_free(block);
}

size_t trace_malloc_usable_size(void* block, uint64_t, uint64_t, uint64_t) {
  return real_usable_size(block);
}

}  // namespace

const Mode kTraceMode = {
#define X(result, name, parameters, arguments) trace_##name,
    HEAPLEDGER_HEAP_FUNCTIONS(X)
#undef X
};

}  // namespace heapledger::runtime
