#include "runtime/modes/live_records.h"

#include <atomic>

#include "runtime/ledger/file.h"
#include "runtime/ledger/live_image.h"
#include "runtime/ledger/window.h"
#include "runtime/os/os.h"
#include "runtime/os/together.h"

namespace heapledger::runtime {

HEAPLEDGER_TOGETHER constinit std::atomic<uint32_t> live_records_forgotten{0};

namespace {

using format::LiveKind;
using format::LiveRecord;

constexpr uint32_t kFresh = 16;  // records begun at a time
constexpr uint32_t kMaxRecords = (1u << 28) - 4;
constexpr uint32_t kHalf = kMostAtHand / 2;

HEAPLEDGER_TOGETHER constinit std::atomic<uint32_t> next_record{0};
// Free records that no thread has at hand: a stack of bunches. The number of the first record of
// the top bunch, plus one, and above it how often the stack has changed. A record is linked to the
// rest of its bunch by site_size_high, the first one to the next bunch by size_low.
HEAPLEDGER_TOGETHER constinit std::atomic<uint64_t> bunches{0};

uint32_t load(const uint32_t& word) {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}
void store(uint32_t& word, uint32_t value) {
  __atomic_store_n(&word, value, __ATOMIC_RELAXED);
}

LiveCache* new_cache() {
  return filter_expected() ? nullptr : static_cast<LiveCache*>(os::map_private(sizeof(LiveCache)));
}

void push_bunch(uint32_t first) {
  LiveRecord& record = live_record(first);
  uint64_t top = bunches.load(std::memory_order_relaxed);
  uint64_t wanted;
  do {
    store(record.size_low, static_cast<uint32_t>(top));
    wanted = ((top >> 32) + 1) << 32 | (first + 1);
  } while (!bunches.compare_exchange_weak(top, wanted, std::memory_order_acq_rel));
}

// The number of the first record of a bunch; kNoRecord: there is none.
uint32_t pop_bunch() {
  uint64_t top = bunches.load(std::memory_order_acquire);
  while (static_cast<uint32_t>(top) != 0) {
    uint32_t first = static_cast<uint32_t>(top) - 1;
    uint64_t rest = load(live_record(first).size_low);
    uint64_t wanted = ((top >> 32) + 1) << 32 | rest;
    if (bunches.compare_exchange_weak(top, wanted, std::memory_order_acq_rel)) return first;
  }
  return kNoRecord;
}

// `count` new numbers; the first of them.
uint32_t begin_records(uint32_t count) {
  uint32_t first = next_record.load(std::memory_order_relaxed);
  do {
    if (first > kMaxRecords - count) return kNoRecord;
    if (live_part(LiveKind::kBlocks, (first + count - 1) >> kRecordBits) == nullptr)
      return kNoRecord;
    if (live_part(LiveKind::kBlocks, first >> kRecordBits) == nullptr) return kNoRecord;
  } while (!next_record.compare_exchange_weak(first, first + count, std::memory_order_relaxed));
  note_live_use(LiveKind::kBlocks, uint64_t{first} + count);
  return first;
}

// One out of a bunch, for those that keep none at hand.
uint32_t take_single() {
  uint32_t number = pop_bunch();
  if (number == kNoRecord) return begin_records(1);
  uint32_t rest = load(live_record(number).site_size_high);
  if (rest != 0) push_bunch(rest - 1);
  return number;
}

bool fill(LiveCache& cache) {
  uint32_t number = pop_bunch();
  if (number != kNoRecord) {
    // At most kHalf of them: bunches are made by empty_half, or are single records.
    for (uint32_t next = number + 1; next != 0 && cache.count < kHalf;) {
      number = next - 1;
      next = load(live_record(number).site_size_high);
      put_at_hand(cache, number);
    }
    return true;
  }
  uint32_t first = begin_records(kFresh);
  if (first == kNoRecord) return false;
  for (uint32_t i = kFresh; i-- > 0;) put_at_hand(cache, first + i);
  return true;
}

void empty_half(LiveCache& cache) {
  uint32_t linked = 0;  // number + 1 of the record linked last
  for (uint32_t i = 0; i < kHalf; ++i) {
    uint32_t number = cache.numbers[--cache.count];
    store(live_record(number).site_size_high, linked);
    linked = number + 1;
  }
  push_bunch(linked - 1);
}

}  // namespace

LiveCache* begin_live_cache(Window& window) {
  LiveCache* cache = window.live_cache;
  if (cache == nullptr) cache = new_cache();
  if (cache == nullptr) return nullptr;
  cache->count = 0;
  cache->unstamped = 0;
  cache->generation = live_records_forgotten.load(std::memory_order_relaxed);
  window.live_cache = cache;
  return cache;
}

uint32_t take_shared_record(LiveCache* cache) {
  if (cache == nullptr) return take_single();
  return fill(*cache) ? cache->numbers[--cache->count] : kNoRecord;
}

void return_shared_record(LiveCache* cache, uint32_t number) {
  if (cache == nullptr) {
    store(live_record(number).site_size_high, 0);
    push_bunch(number);
    return;
  }
  empty_half(*cache);
  put_at_hand(*cache, number);
}

void forget_free_records(bool all) {
  live_records_forgotten.fetch_add(1, std::memory_order_relaxed);
  if (!all) return;
  next_record.store(0, std::memory_order_relaxed);
  bunches.store(0, std::memory_order_relaxed);
}

}  // namespace heapledger::runtime
