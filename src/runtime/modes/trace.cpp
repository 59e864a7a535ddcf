// Trace mode: every call that succeeded becomes an entry.
//
// A free is stamped and entered before the real free, an allocation after the real allocation,
// a resize on both edges: so the stamps order threads rightly even when an address is used again
// at once. errno is the real call's: nothing in here touches it.
//
// malloc, calloc and free, nearly all of the traffic, have a quick path without a loop; whatever it
// cannot do at once it leaves to the general path, which never comes back to it, so that the quick
// path of free needs no saved registers.
#include <type_traits>

#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/memory_sample.h"
#include "runtime/modes/by_event.h"
#include "runtime/unwind/quick_site.h"

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

__attribute__((noinline, cold)) void* enter_calloc_slowly(void* block, size_t bytes,
                                                          const Caller& caller) {
  enter_allocation(Kind::kCalloc, block, bytes, caller);
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

__attribute__((always_inline)) inline void enter_resize(Kind kind, uint64_t begin,
                                                        const void* old_block, const void* block,
                                                        size_t size, const Caller& caller) {
  EntryGuard guard;
  if (!guard) return;
  // The site is entered with the earlier time: nothing may move the clock past `begin`.
  uint32_t site = site_for(*guard, caller, begin, size);
  uint64_t end = now_units();
  format::append_resize((*guard).encoder, kind, begin, address(old_block), end, address(block),
                        site, size);
  // Not before: it has a later time than `begin`.
  if (end >= memory_due.load(std::memory_order_relaxed)) sample_memory(*guard, end);
}

// How much of a stack the quick paths look for: all of it; or the caller alone (depth=1), if that
// was met before. The latter calls no function, so that little has to be saved in registers.
enum class Look { kStack, kCaller };

// In place of a time, for the encoder: it never runs backwards.
constexpr uint64_t kSameTime = 0;

__attribute__((noinline, cold)) void resized_slowly(Kind kind, uint64_t begin,
                                                    const void* old_block, const void* block,
                                                    size_t size, const Caller& caller) {
  enter_resize(kind, begin, old_block, block, size, caller);
}

template <Look look>
struct Trace : ByEvent<Trace<look>> {
  static void* malloc(size_t size, HEAPLEDGER_CALLER) {
    void* block = real_heap.malloc(size);
    if (__builtin_expect(block == nullptr, 0)) return nullptr;
    const bool entered = enter_quickly(size, [&](Window& window, auto time) {
      uint32_t site = quick_site(window, time, size, pc, sp, bp);
      if (look == Look::kCaller && site == kNoSite) return false;
      format::append_malloc(window.encoder, time, address(block), site, size);
      return true;
    });
    return __builtin_expect(entered, 1) ? block : enter_malloc_slowly(block, size, {pc, sp, bp});
  }

  static void* calloc(size_t count, size_t size, HEAPLEDGER_CALLER) {
    void* block = real_heap.calloc(count, size);
    if (__builtin_expect(block == nullptr, 0)) return nullptr;
    const size_t bytes = count * size;
    const bool entered = enter_quickly(bytes, [&](Window& window, auto time) {
      uint32_t site = quick_site(window, time, bytes, pc, sp, bp);
      if (look == Look::kCaller && site == kNoSite) return false;
      format::append_calloc(window.encoder, time, address(block), site, bytes);
      return true;
    });
    return __builtin_expect(entered, 1) ? block : enter_calloc_slowly(block, bytes, {pc, sp, bp});
  }

  // In a burst both edges have the time of the entry before: the old block dies no later than that,
  // whoever gets its address.
  static void* realloc(void* old_block, size_t size, HEAPLEDGER_CALLER) {
    using Base = ByEvent<Trace>;
    constexpr Function kFunction = Function::kRealloc;
    const Caller caller = {pc, sp, bp};
    if (old_block == nullptr) return realloc_new(size, pc, sp, bp);
    if (in_early_arena(old_block) || size == 0) {
      return Base::template call<kFunction>(caller, old_block, size);
    }
    const uint64_t begin = goes_unstamped(size) ? kSameTime : resizing<kFunction>(old_block);
    void* block = real_heap.realloc(old_block, size);
    if (__builtin_expect(block == nullptr, 0)) return nullptr;
    const bool entered = enter_quickly(size, [&](Window& window, auto end) {
      const uint64_t time = std::is_same_v<decltype(end), uint64_t> ? begin : kSameTime;
      uint32_t site = quick_site(window, time, size, pc, sp, bp);
      if (look == Look::kCaller && site == kNoSite) return false;
      format::append_resize(window.encoder, Kind::kRealloc, time, address(old_block),
                            units_of(window, end), address(block), site, size);
      return true;
    });
    if (__builtin_expect(!entered, 0)) {
      resized_slowly(Kind::kRealloc, begin, old_block, block, size, caller);
    }
    return block;
  }

  static void free(void* block, uint64_t, uint64_t, uint64_t) {
    if (__builtin_expect(!is_block(block), 0)) return;
    const bool entered = enter_quickly(0, [&](Window& window, auto time) {
      format::append_free(window.encoder, time, address(block));
      return true;
    });
    if (__builtin_expect(!entered, 0)) return free_slowly(block);
    real_heap.free(block);
  }

  template <Function function>
  HEAPLEDGER_INLINE void born(void* block, const Asked& asked, const Caller& caller) {
    constexpr format::FunctionRow kRow = format::row_of(function);
    if constexpr (kRow.aligned) {
      enter_aligned(kRow.birth, block, asked.alignment, asked.size, caller);
    } else {
      enter_allocation(kRow.birth, block, asked.size, caller);
    }
  }

  template <Function function>
  HEAPLEDGER_INLINE void died(void* block) {
    enter_other_free(format::row_of(function).death, block, time_if_allowed());
  }

  // The time.
  template <Function>
  HEAPLEDGER_INLINE uint64_t resizing(void*) {
    // A thread's first entry describes the thread, with a time of its own: before ours.
    if (thread_slot.window == nullptr) EntryGuard attach(Missed::kNothing);
    return time_if_allowed();
  }

  template <Function function>
  HEAPLEDGER_INLINE void resized(uint64_t begin, void* old_block, void* block, size_t size,
                                 const Caller& caller) {
    enter_resize(format::row_of(function).resize, begin, old_block, block, size, caller);
  }

  template <Function function>
  HEAPLEDGER_INLINE void freed(uint64_t begin, void* old_block) {
    enter_other_free(format::row_of(function).death, old_block, begin);
  }

 private:
  static void* realloc_new(size_t size, HEAPLEDGER_CALLER) {
    void* block = real_heap.realloc(nullptr, size);
    if (__builtin_expect(block == nullptr, 0)) return nullptr;
    const bool entered = enter_quickly(size, [&](Window& window, auto time) {
      uint32_t site = quick_site(window, time, size, pc, sp, bp);
      if (look == Look::kCaller && site == kNoSite) return false;
      format::append_allocation(window.encoder, Kind::kReallocNew, units_of(window, time),
                                address(block), site, size);
      return true;
    });
    if (__builtin_expect(!entered, 0)) {
      enter_allocation(Kind::kReallocNew, block, size, {pc, sp, bp});
    }
    return block;
  }

  template <typename Time>
  HEAPLEDGER_INLINE uint32_t quick_site(Window& window, Time time, size_t size, HEAPLEDGER_CALLER) {
    if constexpr (look == Look::kCaller) return quick_site_of_caller(window, size, pc);
    return quick_site_for(window, time, size, pc, sp, bp);
  }
};

}  // namespace

constinit const Mode kTraceMode = make_mode<Trace<Look::kStack>>();
constinit const Mode kTraceCallersMode = make_mode<Trace<Look::kCaller>>();

}  // namespace heapledger::runtime
