#include "runtime/ledger/count_tables.h"

#include <arch_order.h>

#include <atomic>

#include "runtime/ledger/file.h"
#include "runtime/ledger/table_owners.h"
#include "runtime/ledger/window.h"
#include "runtime/os/add_shared.h"
#include "runtime/os/os.h"
#include "runtime/os/together.h"

namespace heapledger::runtime {
namespace {

using format::CountTable;
using format::ExtentHeader;

constexpr uint32_t kMaxTables = 256;
constexpr uint32_t kMaxExtents = kMaxTables / format::kTablesPerExtent;

struct TableRegistry {
  std::atomic<ExtentHeader*> extents[kMaxExtents] = {};
  TableOwners<kMaxTables> owners;
};
HEAPLEDGER_TOGETHER constinit TableRegistry table_registry = {};

// From the first on, without a gap.
uint32_t extent_count() {
  uint32_t count = 0;
  while (count < kMaxExtents && table_registry.extents[count].load(std::memory_order_acquire))
    ++count;
  return count;
}

uint32_t table_count() {
  return extent_count() * format::kTablesPerExtent;
}

CountTable* table_at(uint32_t table) {
  ExtentHeader* extent =
      table_registry.extents[table / format::kTablesPerExtent].load(std::memory_order_acquire);
  auto* first = reinterpret_cast<unsigned char*>(extent + 1);
  size_t offset = table % format::kTablesPerExtent * format::kTableStride;
  return reinterpret_cast<CountTable*>(first + offset);
}

bool add_extent() {
  if (extent_count() == kMaxExtents || ledger_status() != Status::kRecording) return false;
  ExtentHeader* extent = add_window();
  if (extent == nullptr) return false;
  // It is an extent of tables before anybody counts in it.
  extent->magic = format::kCountMagic;
  for (uint32_t index = extent_count(); index < kMaxExtents; ++index) {
    ExtentHeader* none = nullptr;
    extent->window = index * format::kTablesPerExtent;
    if (table_registry.extents[index].compare_exchange_strong(none, extent,
                                                              std::memory_order_acq_rel)) {
      return true;
    }
  }
  return false;  // others were quicker; it stays empty
}

uint32_t find_table(uint32_t tid) {
  auto& owners = table_registry.owners;
  uint32_t table = owners.take_unused(table_count(), tid);
  // Others may be quicker and take all of a new extent.
  while (table == owners.kNone && add_extent()) table = owners.take_unused(table_count(), tid);
  // Only then: as long as there is room, threads are told apart.
  if (table == owners.kNone && tid != owners.kForGood) {
    table = owners.take_over(table_count(), tid);
  }
  return table;
}

// The calling thread begins to count in `table`.
void add_thread(CountTable& table) {
  os::add_shared(table.threads, 1);
  if (thread_slot.window != nullptr || thread_slot.only_in != nullptr) return;
  os::add_shared(table.only_here, 1);
  thread_slot.only_in = &table;
}

}  // namespace

void take_count_table() {
  thread_slot.counts = thread_slot.own_counts;
  if (thread_slot.counts != nullptr) return;
  if (!table_registry.owners.may_look()) return;
  bool filtered = filter_expected();
  uint32_t tid = filtered ? table_registry.owners.kForGood : os::thread_id();
  // A vfork child has our memory but is not one of our threads; it must not own a table.
  if (!filtered && os::process_id() != ledger_header()->pid) return;
  uint32_t index = find_table(tid);
  if (index == table_registry.owners.kNone) {
    table_registry.owners.found_none();
    return;
  }
  CountTable* table = table_at(index);
  table->tid = filtered ? 0 : tid;
  refresh_count_name(*table);
  os::keep_store_order();
  add_thread(*table);
  thread_slot.own_counts = table;
  thread_slot.counts = table;
}

CountTable* shared_count_table() {
  if (table_registry.extents[0].load(std::memory_order_acquire) == nullptr) return nullptr;
  CountTable* table = table_at(0);
  table->flags = format::kCountShared;
  if (!thread_slot.counted_shared) {
    thread_slot.counted_shared = true;
    add_thread(*table);
  }
  return table;
}

void thread_is_entered() {
  CountTable* table = thread_slot.only_in;
  if (table == nullptr) return;
  thread_slot.only_in = nullptr;
  os::add_shared(table->only_here, UINT64_MAX);
}

void refresh_count_name(CountTable& table) {
  if (!filter_expected()) os::thread_name(table.name);
}

void forget_count_tables() {
  for (std::atomic<ExtentHeader*>& place : table_registry.extents) {
    ExtentHeader* extent = place.exchange(nullptr, std::memory_order_relaxed);
    // Counting has no sign that it is at work: the fork may have been made by a signal handler that
    // interrupted it, and it goes on with the table that it has found.
    if (extent != nullptr) os::make_fresh(extent, format::kExtentBytes);
  }
  table_registry.owners.forget();
  thread_slot.leave_ledger();
}

}  // namespace heapledger::runtime
