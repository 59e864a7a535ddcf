#include "runtime/modes/thread_statistics.h"

#include <arch_add.h>

#include <atomic>

#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/file.h"
#include "runtime/ledger/table_owners.h"
#include "runtime/os/add_shared.h"

namespace heapledger::runtime {
namespace {

constexpr uint32_t kMaxThreads = 256;
constexpr int64_t kMostUntold = 16 << 10;
// While calls come thick and fast, only every so many of a thread look at the clock.
constexpr uint32_t kUnlookedRun = 15;
constexpr uint64_t kThickUnits = os::rough_units(50'000);  // for that many calls

struct Process {
  ThreadStatistics records[kMaxThreads] = {};  // the first is shared
  TableOwners<kMaxThreads> owners;
  Statistics at_clear[kMaxThreads] = {};  // what they had at the last clear
  Statistics all_at_clear = {};           // what all together had then
  ThreadStatistics departed = {};         // what threads whose records were handed on had counted
  std::atomic<uint32_t> threads{0};
  std::atomic<uint64_t> live{0};  // as far as told
  std::atomic<uint64_t> peak{0};
};
constinit Process process = {};

bool is_above(uint64_t value, uint64_t mark) {
  return static_cast<int64_t>(value) > static_cast<int64_t>(mark);
}

void raise(uint64_t& mark, uint64_t value) {
  uint64_t old = __atomic_load_n(&mark, __ATOMIC_RELAXED);
  while (is_above(value, old) && !__atomic_compare_exchange_n(&mark, &old, value, true,
                                                              __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

void raise(std::atomic<uint64_t>& mark, uint64_t value) {
  uint64_t old = mark.load(std::memory_order_relaxed);
  while (is_above(value, old) &&
         !mark.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
  }
}

void tell(ThreadStatistics& record) {
  uint64_t change = __atomic_exchange_n(&record.untold, 0, __ATOMIC_RELAXED);
  raise(process.peak, process.live.fetch_add(change, std::memory_order_relaxed) + change);
}

template <typename Use>
void for_each_sum(Use use) {
  use(&ThreadStatistics::calls);
  use(&ThreadStatistics::bytes);
  use(&ThreadStatistics::frees);
  use(&ThreadStatistics::resizes);
  use(&ThreadStatistics::live_blocks);
  use(&ThreadStatistics::live_bytes);
}

// A record of a thread that is gone: what it holds goes to the departed.
void clear_out(ThreadStatistics& record) {
  tell(record);
  for_each_sum([&record](uint64_t ThreadStatistics::*field) {
    uint64_t value = __atomic_exchange_n(&(record.*field), 0, __ATOMIC_RELAXED);
    os::add_shared(process.departed.*field, value);
  });
  for (size_t i = 0; i < format::kSizeClasses; ++i) {
    uint64_t value = __atomic_exchange_n(&record.sizes[i], 0, __ATOMIC_RELAXED);
    os::add_shared(process.departed.sizes[i], value);
  }
  record.peak_bytes = 0;
  process.at_clear[&record - process.records] = {};
}

// The thread's own record; null when there is none to be had, or nothing is to be counted.
__attribute__((noinline, cold)) ThreadStatistics* take_record() {
  if (beacon->alive == 0) EntryGuard begin(Missed::kNothing);
  if (beacon->alive == 0 || thread_slot.statistics != nullptr) return thread_slot.statistics;
  if (filter_expected() || beacon->recording == 0) return nullptr;  // no system calls
  if (!process.owners.may_look()) return nullptr;
  uint32_t tid = os::thread_id();
  if (os::process_id() != ledger_header()->pid) return nullptr;  // a vfork child
  uint32_t index = process.owners.take_unused(kMaxThreads, tid);
  if (index == process.owners.kNone) index = process.owners.take_over(kMaxThreads, tid);
  process.threads.fetch_add(1, std::memory_order_relaxed);
  if (index == process.owners.kNone) {
    process.owners.found_none();
    return nullptr;
  }
  clear_out(process.records[index]);
  thread_slot.statistics = &process.records[index];
  return thread_slot.statistics;
}

template <typename Add>
void apply(ThreadStatistics& record, const Change& change, Add add) {
  if (change.call) {
    add(record.calls, 1);
    add(record.bytes, change.size);
    add(record.sizes[format::size_class(change.size)], 1);
  }
  if (change.resize) add(record.resizes, 1);
  if (change.free) add(record.frees, 1);
  add(record.live_blocks, change.live_blocks);
  add(record.live_bytes, change.live_bytes);
  add(record.untold, change.live_bytes);
  if (is_above(record.live_bytes, record.peak_bytes)) raise(record.peak_bytes, record.live_bytes);
  auto untold = static_cast<int64_t>(record.untold);
  if (untold > kMostUntold || untold < -kMostUntold) tell(record);
}

// Modes that make no entries take no memory samples, and nobody else would notice that one is due.
void look_at_clock(ThreadStatistics& record) {
  if (record.unlooked != 0) {
    --record.unlooked;
    return;
  }
  if (!clock_allowed()) return;
  uint64_t now = now_units();
  record.unlooked = now - record.looked < kThickUnits ? kUnlookedRun : 0;
  record.looked = now;
  if (now < memory_due.load(std::memory_order_relaxed) || hook_at_work()) return;
  EntryGuard guard(Missed::kNothing);
  if (guard) stamp(*guard);
}

void add_up(const ThreadStatistics& record, Statistics& to) {
  auto load = [](const uint64_t& value) { return __atomic_load_n(&value, __ATOMIC_RELAXED); };
  to.calls += load(record.calls);
  to.bytes += load(record.bytes);
  to.frees += load(record.frees);
  to.resizes += load(record.resizes);
  to.live_blocks += static_cast<int64_t>(load(record.live_blocks));
  to.live_bytes += static_cast<int64_t>(load(record.live_bytes));
  for (size_t i = 0; i < format::kSizeClasses; ++i) to.sizes[i] += load(record.sizes[i]);
}

uint64_t peak_of(const Statistics& statistics) {
  uint64_t peak = process.peak.load(std::memory_order_relaxed);
  // One thread keeps its own peak to the byte; what was there before it did not change.
  if (process.threads.load(std::memory_order_relaxed) == 1) {
    const ThreadStatistics& only = process.records[1];
    uint64_t before = static_cast<uint64_t>(statistics.live_bytes) - only.live_bytes;
    uint64_t own = before + only.peak_bytes;
    if (is_above(own, peak)) peak = own;
  }
  auto live = static_cast<uint64_t>(statistics.live_bytes);
  return is_above(live, peak) ? live : peak;
}

}  // namespace

void add_change(const Change& change) {
  ThreadStatistics* record = thread_slot.statistics;
  if (__builtin_expect(record == nullptr || beacon->alive == 0, 0)) record = take_record();
  if (beacon->alive == 0) return;
  if (record != nullptr) {
    apply(*record, change, os::add_own);
  } else {
    record = &process.records[0];
    apply(*record, change, os::add_shared);
  }
  if (change.call) look_at_clock(*record);
}

bool read_statistics(Statistics& statistics, bool this_thread) {
  statistics = {};
  if (!statistics_wanted() || beacon->alive == 0) return false;
  if (this_thread) {
    const ThreadStatistics* own = thread_slot.statistics;
    if (own == nullptr) return false;
    add_up(*own, statistics);
    statistics.peak_bytes = own->peak_bytes;
    return true;
  }
  add_up(process.departed, statistics);
  for (const ThreadStatistics& record : process.records) add_up(record, statistics);
  statistics.peak_bytes = peak_of(statistics);
  return true;
}

void read_at_clear(Statistics& statistics, bool this_thread) {
  const ThreadStatistics* own = thread_slot.statistics;
  if (!this_thread) {
    statistics = process.all_at_clear;
  } else {
    statistics = own == nullptr ? Statistics{} : process.at_clear[own - process.records];
  }
}

void restart_figures() {
  Statistics all;
  if (!read_statistics(all, false)) return;
  process.all_at_clear = all;
  for (ThreadStatistics& record : process.records) {
    tell(record);
    __atomic_store_n(&record.peak_bytes, record.live_bytes, __ATOMIC_RELAXED);
    Statistics now;
    add_up(record, now);
    process.at_clear[&record - process.records] = now;
  }
  process.peak.store(process.live.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void restart_statistics_after_fork() {
  if (!statistics_wanted()) return;
  uint64_t live_blocks = process.departed.live_blocks;
  uint64_t live_bytes = process.departed.live_bytes;
  for (ThreadStatistics& record : process.records) {
    live_blocks += record.live_blocks;
    live_bytes += record.live_bytes;
    record = {};
  }
  for (Statistics& one : process.at_clear) one = {};
  process.all_at_clear = {};
  process.departed = {};
  process.departed.live_blocks = live_blocks;
  process.departed.live_bytes = live_bytes;
  process.owners.forget();
  process.threads.store(0, std::memory_order_relaxed);
  process.live.store(live_bytes, std::memory_order_relaxed);
  process.peak.store(live_bytes, std::memory_order_relaxed);
  thread_slot.statistics = nullptr;
}

}  // namespace heapledger::runtime
