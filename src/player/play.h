// Plays words of a lane: what a word means for the slot, for the clock and for the check. A class
// for each way to play, so that none asks in the loop what it is for. Only lane.cpp includes this.
#pragma once

#include <arch_ticks.h>
#include <stdint.h>

#include <type_traits>

#include "player/check.h"
#include "player/functions.h"
#include "player/lane_clock.h"
#include "player/outcome.h"

namespace heapledger::player {

// What is known of a call before it is made. Plain words have a size and a slot only.
struct Request {
  const uint64_t* cursor;  // behind its word
  schedule::Word kind;
  uint32_t slot;
  uint64_t size;
  uint64_t alignment = 0;
  schedule::Aligned aligned = schedule::Aligned::kPosixMemalign;
};

template <bool timed, Touch touch, bool checked, bool strict>
struct Way {
  static constexpr bool kTimed = timed;
  static constexpr Touch kTouch = touch;
  static constexpr bool kChecked = checked;
  static constexpr bool kStrict = strict;
};

template <class How>
class Play {
 public:
  explicit Play(LaneRun& run) : run_(run), slots_(world.slots) {}

  [[gnu::always_inline]] void all();
  const uint64_t* make_prefixed(const uint64_t* cursor);

 private:
  struct Prefixes {
    uint64_t high = 0;
    uint64_t alignment = 0;
    schedule::Aligned aligned = schedule::Aligned::kPosixMemalign;
    bool fails = false;
    bool takes = false;
    uint32_t from = 0;
    uint32_t generation = 0;
  };

  // Makes a call, timed where that is asked for.
  template <typename Function>
  [[gnu::always_inline]] auto timed(Function function) {
    if constexpr (!How::kTimed) {
      return function();
    } else {
      const uint64_t began = ticks_before();
      if constexpr (std::is_void_v<decltype(function())>) {
        function();
        note(ticks_after() - began);
      } else {
        const auto result = function();
        note(ticks_after() - began);
        return result;
      }
    }
  }
  [[gnu::always_inline]] void note(uint64_t took) {
    if (took > kLongCall) [[unlikely]]
      took = without_queue(run_, took);
    ++run_.latency[results::latency_bucket(took)];
    if (took > run_.latency_worst) run_.latency_worst = took;
  }

  Call call_of(const Request& request) {
    return {run_, request.cursor, request.kind, request.aligned, request.alignment};
  }

  [[gnu::always_inline]] static void touch(void* block, uint64_t size) {
    if constexpr (How::kTouch == Touch::kNone || How::kChecked) return;
    auto* at = static_cast<volatile char*>(block);
    if constexpr (How::kTouch == Touch::kFirst) {
      if (size >= 8) {
        *reinterpret_cast<volatile uint64_t*>(at) = size;
      } else if (size > 0) {
        *at = 1;
      }
    } else {
      const uint64_t mask = world.touch_mask;
      for (uint64_t offset = 0; offset < size; offset += 4096) at[offset & mask] = 1;
    }
  }

  // A slot that a block can be put into: the one before may still have to be taken.
  [[gnu::always_inline]] uint64_t empty(uint32_t slot) {
    const uint64_t word = slots_[slot].load(std::memory_order_acquire);
    if ((word & kAddressMask) != 0) [[unlikely]]
      return wait_for_empty(run_, slot);
    return word;
  }
  [[gnu::noinline]] [[gnu::cold]] static uint64_t wait_for_empty(LaneRun& run, uint32_t slot) {
    const auto& place = world.slots[slot];
    wait_until(run, [&] { return (place.load(std::memory_order_acquire) & kAddressMask) == 0; });
    return place.load(std::memory_order_relaxed);
  }

  // NULL: the run ends; but of no bytes, and where that means to free, another block stands in.
  [[gnu::noinline]] [[gnu::cold]] static void* without_block(LaneRun& run, Request request) {
    void* stand_in = request.size == 0 ? functions.malloc(1) : nullptr;
    if (stand_in == nullptr) {
      const Call call = Play(run).call_of(request);
      end_run(results::Outcome::kNoMemory, "after %llu calls: %s of %llu bytes gave NULL",
              calls_so_far(call), name_of(call), static_cast<unsigned long long>(request.size));
    }
    ++run.emulated;
    return stand_in;
  }

  template <typename Function>
  [[gnu::always_inline]] void allocate(const Request& request, Function function) {
    const uint64_t before = empty(request.slot);
    void* block = timed(function);
    if (block == nullptr) [[unlikely]]
      block = without_block(run_, request);
    touch(block, request.size);
    const uint64_t now = before + kOneGeneration;
    if constexpr (How::kChecked) {
      check_new(call_of(request), request.slot, now >> kAddressBits, block, request.size);
    }
    slots_[request.slot].store(now + reinterpret_cast<uintptr_t>(block), std::memory_order_release);
  }

  template <typename Function>
  [[gnu::always_inline]] void resize(const Request& request, Function function) {
    const uint64_t before = slots_[request.slot].load(std::memory_order_relaxed);
    const uint64_t address = before & kAddressMask;
    auto* old = reinterpret_cast<void*>(address);
    if constexpr (How::kChecked) check_old(call_of(request), request.slot, old);
    void* block = timed([&] { return function(old); });
    if (block == nullptr) [[unlikely]]
      block = without_block(run_, request);
    touch(block, request.size);
    const uint64_t now = before - address + kOneGeneration;
    if constexpr (How::kChecked) {
      check_resized(call_of(request), request.slot, now >> kAddressBits, block, request.size);
    }
    slots_[request.slot].store(now + reinterpret_cast<uintptr_t>(block), std::memory_order_release);
  }

  template <typename Function>
  [[gnu::always_inline]] void release(const Request& request, Function function) {
    const uint64_t before = slots_[request.slot].load(std::memory_order_relaxed);
    const uint64_t address = before & kAddressMask;
    auto* block = reinterpret_cast<void*>(address);
    slots_[request.slot].store(before - address, std::memory_order_relaxed);
    if constexpr (How::kChecked) check_old(call_of(request), request.slot, block);
    if constexpr (std::is_void_v<decltype(function(block))>) {
      timed([&] { function(block); });
    } else {
      give_back(timed([&] { return function(block); }));
    }
    if constexpr (How::kStrict) {
      world.states[run_.number].freed.store(++run_.freed, std::memory_order_release);
    }
  }

  // What a call gives that should have given nothing is freed at once.
  [[gnu::always_inline]] void give_back(void* block) {
    if (block == nullptr) return;
    functions.free(block);
    ++run_.given_back;
  }

  void* align(const Request& request) {
    if (request.aligned == schedule::Aligned::kAlignedAlloc) {
      return functions.aligned_alloc(request.alignment, request.size);
    }
    if (request.aligned == schedule::Aligned::kMemalign) {
      return functions.memalign(request.alignment, request.size);
    }
    void* block = nullptr;
    return functions.posix_memalign(&block, request.alignment, request.size) == 0 ? block : nullptr;
  }

  [[gnu::always_inline]] void make(const Request& request);
  void make_failing(const Request& request);
  void take(uint32_t from, uint32_t generation, uint32_t slot);
  void prefix(Prefixes& prefixes, uint64_t word);

  LaneRun& run_;
  Slot* const slots_;
};

}  // namespace heapledger::player
