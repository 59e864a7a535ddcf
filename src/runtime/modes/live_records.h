// Numbers of free records of the live image: who is to use which.
#pragma once

#include <atomic>
#include <cstdint>

#include "format/live_tables.h"
#include "runtime/ledger/live_image.h"
#include "runtime/ledger/window.h"

namespace heapledger::runtime {

inline constexpr uint32_t kNoRecord = UINT32_MAX;

inline constexpr unsigned kRecordBits = 16;  // of the records in a part
inline format::LiveRecord& live_record(uint32_t number) {
  void* part = known_live_part(live_block_places, number >> kRecordBits);
  return static_cast<format::LiveRecord*>(part)[number & ((1u << kRecordBits) - 1)];
}

// What a thread keeps at hand; it stays with the window.
struct LiveCache {
  uint32_t count;
  uint32_t generation;  // of `live_records_forgotten`, when it was filled
  uint32_t unstamped;   // so many more blocks may have the time of the one before
  uint32_t next_run;    // see unstamped_run
  uint64_t time;        // of that one: as entries have it
  uint32_t image_time;  // the same, as in its record
  uint32_t numbers[121];
};
inline constexpr uint32_t kMostAtHand = sizeof LiveCache::numbers / sizeof(uint32_t);

// Counts forks: what was at hand before is nobody's.
extern std::atomic<uint32_t> live_records_forgotten __attribute__((visibility("hidden")));

// A new one, or one that is emptied; null: no memory.
__attribute__((cold)) LiveCache* begin_live_cache(Window& window);

// Whether this is the cache of this process, and one more can be put into it.
inline bool has_room(const LiveCache& cache) {
  return cache.generation == live_records_forgotten.load(std::memory_order_relaxed) &&
         cache.count != kMostAtHand;
}

// Null: there is none, and what is taken and returned is every thread's.
inline LiveCache* live_cache_of(Window& window) {
  LiveCache* cache = window.live_cache;
  if (__builtin_expect(cache != nullptr && cache->generation == live_records_forgotten.load(
                                                                    std::memory_order_relaxed),
                       1)) {
    return cache;
  }
  return begin_live_cache(window);
}

// What is done when none is at hand, or there are too many.
__attribute__((cold)) uint32_t take_shared_record(LiveCache* cache);
__attribute__((cold)) void return_shared_record(LiveCache* cache, uint32_t number);

// A record that nobody uses, its address 0; kNoRecord when there is no memory.
inline uint32_t take_live_record(LiveCache* cache) {
  if (__builtin_expect(cache == nullptr || cache->count == 0, 0)) return take_shared_record(cache);
  return cache->numbers[--cache->count];
}

// The number first: a handler may come in between, and jump away.
inline void put_at_hand(LiveCache& cache, uint32_t number) {
  cache.numbers[cache.count] = number;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  ++cache.count;
}

inline void return_live_record(LiveCache* cache, uint32_t number) {
  if (__builtin_expect(cache == nullptr || cache->count == kMostAtHand, 0)) {
    return return_shared_record(cache, number);
  }
  put_at_hand(*cache, number);
}

// See forget_live_records.
void forget_free_records(bool all);

}  // namespace heapledger::runtime
