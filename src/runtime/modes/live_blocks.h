// The blocks that live mode knows: records in the live image (format/live_tables.h), and an index
// that finds the record of an address (live_index.h).
//
// Records are dense: a free one is used again before a new one is begun, so that their number is
// that of the blocks alive at one time, at most. Each thread keeps a few free ones at hand. A
// record takes 20 bytes and its share of the index 5 to 10.
//
// No lock, no waiting; what has a LiveCache needs the thread's window, the rest may be called
// anywhere, in a handler that interrupted any of it as well. A block is added after the real
// allocation and removed before the real free, so no two threads ever do so for one address at one
// time; a program that frees a block twice at once finds it once.
#pragma once

#include <cstdint>

#include "runtime/modes/live_index.h"

namespace heapledger::runtime {

struct LiveFacts {
  uint64_t address;
  uint64_t size;
  uint32_t site;
  uint32_t thread;
  uint32_t time;  // units of the live image since its start
};

// Where a block is in the index.
struct LivePlace {
  LiveSlot* slot = nullptr;  // null: it is not known
  LiveSlot value = 0;

  explicit operator bool() const { return slot != nullptr; }
};

// A block at this address is about to be added.
inline void expect_live_record(const LiveCache& cache, uint64_t address) {
  __builtin_prefetch(&newest_line_of(LiveHash(address)), 1);
  if (cache.count != 0) __builtin_prefetch(&live_record(cache.numbers[cache.count - 1]), 1);
}

// The address last: whoever finds it finds the rest.
__attribute__((always_inline)) inline void write_live_record(format::LiveRecord& record,
                                                             const LiveFacts& facts) {
  PackedAddress address(facts.address);
  uint64_t size = facts.size < format::kLiveMaxSize ? facts.size : format::kLiveMaxSize;
  uint32_t uses = (load_word(record.address_high_thread) >> format::kLiveUseShift) + 1;
  store_word(record.size_low, static_cast<uint32_t>(size));
  store_word(record.site_size_high, facts.site | static_cast<uint32_t>(size >> 32)
                                                     << format::kLiveSiteBits);
  store_word(record.time, facts.time);
  store_word(record.address_high_thread, address.high | facts.thread << format::kLiveThreadShift |
                                             uses << format::kLiveUseShift);
  __atomic_store_n(&record.address_low, address.low, __ATOMIC_RELEASE);
}

inline void erase_live_record(format::LiveRecord& record) {
  __atomic_store_n(&record.address_low, 0, __ATOMIC_RELEASE);
  store_word(record.address_high_thread, load_word(record.address_high_thread) & ~0xFFFu);
}

// Where the line of the newest level has no room. False: nowhere is.
__attribute__((cold)) bool put_elsewhere(LiveHash hash, LiveSlot value);
// Looks everywhere.
__attribute__((noinline)) LivePlace find_elsewhere(LiveHash hash, PackedAddress address);

// `cache`: of the calling thread; null: none is at hand. False: no memory for it.
__attribute__((always_inline)) inline bool add_live_record(LiveCache* cache,
                                                           const LiveFacts& facts) {
  uint32_t number = take_live_record(cache);
  if (__builtin_expect(number == kNoRecord, 0)) return false;
  format::LiveRecord& record = live_record(number);
  write_live_record(record, facts);
  LiveHash hash(facts.address);
  LiveSlot value = hash.tag() | (number + 1);
  if (__builtin_expect(put_in_line(newest_line_of(hash), hash, value), 1)) return true;
  if (put_elsewhere(hash, value)) return true;
  erase_live_record(record);
  return_live_record(cache, number);
  return false;
}

// Looks where most blocks are, and then everywhere.
__attribute__((always_inline)) inline LivePlace find_live_record(uint64_t address) {
  LiveHash hash(address);
  LivePlace place;
  bool ends = false;
  place.slot = find_in_line(newest_line_of(hash), hash, PackedAddress(address), place.value, ends);
  if (__builtin_expect(place.slot != nullptr, 1)) return place;
  return find_elsewhere(hash, PackedAddress(address));
}

// Its size and site are left in `facts`, the number of its record, which is to be returned, is the
// result. kNoRecord: somebody else has removed it.
__attribute__((always_inline)) inline uint32_t take_out_live_record(LivePlace place,
                                                                    LiveFacts& facts) {
  uint32_t number = (place.value & kSlotNumberMask) - 1;
  format::LiveRecord& record = live_record(number);
  uint32_t site_size = load_word(record.site_size_high);
  facts.size = load_word(record.size_low) | uint64_t{site_size >> format::kLiveSiteBits} << 32;
  facts.site = site_size & ((1u << format::kLiveSiteBits) - 1);
  LiveSlot expected = place.value;
  if (!os::exchange(*place.slot, expected, kUsedOnce)) return kNoRecord;
  erase_live_record(record);
  return number;
}

// The same with the record returned. False: somebody else has removed it.
inline bool remove_live_record(LiveCache* cache, LivePlace place, LiveFacts& facts) {
  uint32_t number = take_out_live_record(place, facts);
  if (number == kNoRecord) return false;
  return_live_record(cache, number);
  return true;
}

// After a fork: what other threads had at hand is nobody's. `all`: the records are not this
// process's either.
void forget_live_records(bool all);

}  // namespace heapledger::runtime
