// Count mode: calls, bytes and frees by function and size class, in the calling thread's table. No
// entry, no stack, no clock.
//
// A counter is added to by one instruction, so that a signal handler which comes along, and counts
// too, loses nothing; and the table is in the file, so that it is all there after any death. Now
// and then a call of malloc looks after the rest: orders from outside, the thread's name, and a
// memory sample when one is due.
#include <arch_add.h>

#include "runtime/ledger/count_tables.h"
#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/memory_sample.h"
#include "runtime/modes/by_event.h"
#include "runtime/modes/control.h"
#include "runtime/os/add_shared.h"

namespace heapledger::runtime {
namespace {

using format::CountTable;

// Calls of malloc between two looks at the rest: many where they come thick and fast.
constexpr int32_t kMostPerLook = 4096;
constexpr uint64_t kSoonUnits = os::rough_units(400'000);

constexpr size_t row(Function function) {
  return static_cast<size_t>(function);
}

void schedule_look(uint64_t now) {
  ThreadSlot& slot = thread_slot;
  bool soon = now - slot.count_looked < kSoonUnits;
  slot.count_looked = now;
  slot.count_step = soon ? slot.count_step * 2 + 1 : slot.count_step / 4;
  if (slot.count_step > kMostPerLook) slot.count_step = kMostPerLook;
  slot.count_left = slot.count_step;
}

// The thread's table, or null. Begins a ledger in a forked child, samples memory, obeys orders.
CountTable* look_after() {
  if (beacon->alive == 0) EntryGuard begin(Missed::kNothing);
  if (beacon->alive == 0) return nullptr;
  if (!clock_allowed()) {
    // System calls may be forbidden now, too. Counting goes on without.
    thread_slot.count_left = kMostPerLook;
    return thread_slot.counts;
  }
  if (orders_waiting()) look_at_orders();
  if (thread_slot.counts == nullptr) take_count_table();
  CountTable* table = thread_slot.counts;
  uint64_t now = now_units();
  schedule_look(now);
  if (now >= memory_due.load(std::memory_order_relaxed) && !hook_at_work()) {
    if (table != nullptr) refresh_count_name(*table);
    EntryGuard guard(Missed::kNothing);
    if (guard) stamp(*guard);
  }
  return table;
}

// Where the quick way is closed: all of `calls`, `frees` and `resizes` are 0 or 1.
struct Event {
  Function function;
  size_t size;
  uint64_t calls;
  uint64_t frees;
  uint64_t resizes;
};

template <typename Add>
void count_in(CountTable& table, const Event& event, Add add) {
  format::CountCell& cell = table.cells[row(event.function)][format::size_class(event.size)];
  if (event.calls != 0) add(cell.calls, 1);
  if (event.calls != 0) add(cell.bytes, event.size);
  if (event.frees != 0) add(table.frees[row(event.function)], 1);
  if (event.resizes != 0) add(table.resizes[row(event.function)], 1);
}

void count_slowly(const Event& event) {
  if (is_muted()) return;
  if (CountTable* table = look_after(); table != nullptr) {
    count_in(*table, event, os::add_own);
  } else if (beacon->alive != 0) {
    table = shared_count_table();
    if (table != nullptr) count_in(*table, event, os::add_shared);
    if (table == nullptr && ledger_header() != nullptr) os::add_shared(ledger_header()->missed, 1);
  }
}

__attribute__((noinline, cold)) void* count_malloc_slowly(void* block, size_t size) {
  count_slowly({Function::kMalloc, size, 1, 0, 0});
  return block;
}

__attribute__((noinline, cold)) void count_free_slowly(void* block) {
  count_slowly({Function::kFree, 0, 0, 1, 0});
  real_heap.free(block);
}

void count(const Event& event) {
  CountTable* table = thread_slot.counts;
  if (__builtin_expect(table == nullptr || beacon->alive == 0, 0)) return count_slowly(event);
  count_in(*table, event, os::add_own);
}

struct Count : ByEvent<Count> {
  static void* malloc(size_t size, uint64_t, uint64_t, uint64_t) {
    void* block = real_heap.malloc(size);
    if (__builtin_expect(block == nullptr, 0)) return nullptr;
    CountTable* table = thread_slot.counts;
    if (__builtin_expect(table == nullptr || --thread_slot.count_left < 0 || beacon->alive == 0,
                         0)) {
      return count_malloc_slowly(block, size);
    }
    format::CountCell& cell = table->cells[row(Function::kMalloc)][format::size_class(size)];
    os::add_own(cell.calls, 1);
    os::add_own(cell.bytes, size);
    return block;
  }

  static void free(void* block, uint64_t, uint64_t, uint64_t) {
    if (__builtin_expect(!is_block(block), 0)) return;
    CountTable* table = thread_slot.counts;
    if (__builtin_expect(table == nullptr || beacon->alive == 0, 0)) {
      return count_free_slowly(block);
    }
    os::add_own(table->frees[row(Function::kFree)], 1);
    real_heap.free(block);
  }

  template <Function function>
  HEAPLEDGER_INLINE void born(void*, const Asked& asked, const Caller&) {
    count({function, asked.size, 1, 0, 0});
  }

  template <Function function>
  HEAPLEDGER_INLINE void died(void*) {
    count({function, 0, 0, 1, 0});
  }

  struct Nothing {};
  template <Function>
  HEAPLEDGER_INLINE Nothing resizing(void*) {
    return {};
  }

  template <Function function>
  HEAPLEDGER_INLINE void resized(Nothing, void*, void*, size_t size, const Caller&) {
    count({function, size, 1, 0, 1});
  }

  template <Function function>
  HEAPLEDGER_INLINE void freed(Nothing, void*) {
    count({function, 0, 0, 1, 0});
  }

  template <Function function>
  HEAPLEDGER_INLINE void answered(void* block, size_t size) {
    if (block != nullptr) count({function, size, 1, 0, 0});
  }
};

}  // namespace

constinit const Mode kCountMode = make_mode<Count>();

}  // namespace heapledger::runtime
