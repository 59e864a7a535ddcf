#include "runtime/ledger/count_tables.h"

#include <arch_order.h>

#include <atomic>

#include "runtime/ledger/file.h"
#include "runtime/ledger/table_owners.h"
#include "runtime/ledger/window.h"
#include "runtime/os/add_shared.h"
#include "runtime/os/os.h"

namespace heapledger::runtime {
namespace {

using format::BlockHeader;
using format::CountTable;

constexpr uint32_t kMaxTables = 256;
constexpr uint32_t kMaxBlocks = kMaxTables / format::kTablesPerBlock;

struct Registry {
  std::atomic<BlockHeader*> blocks[kMaxBlocks] = {};
  TableOwners<kMaxTables> owners;
};
constinit Registry registry = {};

// From the first on, without a gap.
uint32_t block_count() {
  uint32_t count = 0;
  while (count < kMaxBlocks && registry.blocks[count].load(std::memory_order_acquire)) ++count;
  return count;
}

uint32_t table_count() {
  return block_count() * format::kTablesPerBlock;
}

CountTable* table_at(uint32_t table) {
  BlockHeader* block =
      registry.blocks[table / format::kTablesPerBlock].load(std::memory_order_acquire);
  auto* first = reinterpret_cast<unsigned char*>(block + 1);
  size_t offset = table % format::kTablesPerBlock * format::kTableStride;
  return reinterpret_cast<CountTable*>(first + offset);
}

bool add_block() {
  if (block_count() == kMaxBlocks || ledger_status() != Status::kRecording) return false;
  BlockHeader* block = add_window();
  if (block == nullptr) return false;
  // It is a block of tables before anybody counts in it.
  block->magic = format::kCountMagic;
  for (uint32_t index = block_count(); index < kMaxBlocks; ++index) {
    BlockHeader* none = nullptr;
    block->window = index * format::kTablesPerBlock;
    if (registry.blocks[index].compare_exchange_strong(none, block, std::memory_order_acq_rel)) {
      return true;
    }
  }
  return false;  // others were quicker; it stays empty
}

uint32_t find_table(uint32_t tid) {
  auto& owners = registry.owners;
  uint32_t table = owners.take_unused(table_count(), tid);
  // Others may be quicker and take all of a new block.
  while (table == owners.kNone && add_block()) table = owners.take_unused(table_count(), tid);
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
  if (!registry.owners.may_look()) return;
  bool filtered = filter_expected();
  uint32_t tid = filtered ? registry.owners.kForGood : os::thread_id();
  // A vfork child has our memory but is not one of our threads; it must not own a table.
  if (!filtered && os::process_id() != ledger_header()->pid) return;
  uint32_t index = find_table(tid);
  if (index == registry.owners.kNone) {
    registry.owners.found_none();
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
  if (registry.blocks[0].load(std::memory_order_acquire) == nullptr) return nullptr;
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
  for (std::atomic<BlockHeader*>& place : registry.blocks) {
    BlockHeader* block = place.exchange(nullptr, std::memory_order_relaxed);
    if (block != nullptr) os::unmap(block, format::kBlockBytes);
  }
  registry.owners.forget();
  thread_slot.leave_ledger();
}

}  // namespace heapledger::runtime
