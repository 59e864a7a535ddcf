#include "runtime/modes/pools.h"

#include <cstring>

#include "format/heap_event.h"
#include "runtime/modes/note.h"

namespace heapledger::runtime {
namespace {

using format::Event;
using format::Function;

constexpr uint32_t kMaxPools = 1000;
constexpr size_t kNameBytes = 64;
constexpr size_t kEntryBytes = format::kMaxHeapEventBytes;

struct Pool {
  char name[kNameBytes];
  std::atomic<bool> ready;
};
constinit Pool pools[kMaxPools] = {};
constinit std::atomic<uint32_t> count{0};

uint32_t pool_count() {
  uint32_t made = count.load(std::memory_order_acquire);
  return made < kMaxPools ? made : kMaxPools;
}

uint64_t address(const void* block) {
  return reinterpret_cast<uint64_t>(block);
}

uint32_t heap_of(uint32_t pool) {
  return format::kFirstOtherHeap + pool - 1;
}

format::HeapEvent event_of(Event what, Function function, uint32_t pool, const void* block,
                           size_t size) {
  format::HeapEvent event;
  event.event = what;
  event.heap = heap_of(pool);
  event.function = static_cast<uint32_t>(function);
  event.pointer = address(block);
  event.size = size;
  return event;
}

void enter_name(Window& window, uint64_t time, uint32_t pool) {
  const char* name = pools[pool - 1].name;
  format::LongEntry(window.encoder, format::Kind::kHeap, time)
      .number(heap_of(pool))
      .number(static_cast<uint32_t>(format::HeapKind::kPool))
      .bytes(name, strlen(name))
      .finish();
}

// The site first: describing it may take the room that there was.
uint32_t site_and_room(Window& window, uint64_t time, size_t size, const Caller& caller) {
  uint32_t site = site_for(window, caller, time, size);
  room_for(window, kEntryBytes + format::LongEntry::kLongOverhead);
  return site;
}

}  // namespace

uint32_t pool_number(const char* name) {
  size_t length = strnlen(name, kNameBytes - 1);
  for (uint32_t i = 0; i < pool_count(); ++i) {
    const Pool& pool = pools[i];
    if (!pool.ready.load(std::memory_order_acquire)) continue;
    if (strncmp(pool.name, name, length) == 0 && pool.name[length] == '\0') return i + 1;
  }
  uint32_t index = count.fetch_add(1, std::memory_order_acq_rel);
  if (index >= kMaxPools) return 0;
  memcpy(pools[index].name, name, length);
  pools[index].ready.store(true, std::memory_order_release);
  enter_note({}, kNameBytes,
             [index](Window& window, uint64_t time) { enter_name(window, time, index + 1); });
  return index + 1;
}

void enter_pool_allocation(uint32_t pool, const void* block, size_t size, const Caller& caller) {
  enter_note({}, kEntryBytes, [&](Window& window, uint64_t time) {
    auto event = event_of(Event::kBirth, Function::kPoolAllocate, pool, block, size);
    event.site = site_and_room(window, time, size, caller);
    format::append_heap_event(window.encoder, time, event);
  });
}

void enter_pool_free(uint32_t pool, const void* block) {
  enter_note({}, kEntryBytes, [&](Window& window, uint64_t time) {
    auto event = event_of(Event::kDeath, Function::kPoolFree, pool, block, 0);
    format::append_heap_event(window.encoder, time, event);
  });
}

void enter_pool_resize(uint32_t pool, const void* old_block, const void* block, size_t size,
                       const Caller& caller) {
  enter_note({}, kEntryBytes, [&](Window& window, uint64_t time) {
    auto event = event_of(Event::kResize, Function::kPoolResize, pool, block, size);
    event.old_pointer = address(old_block);
    event.site = site_and_room(window, time, size, caller);
    format::append_heap_event(window.encoder, time, event);
  });
}

void reenter_pools(Window& window) {
  for (uint32_t i = 0; i < pool_count(); ++i) {
    if (!pools[i].ready.load(std::memory_order_acquire)) continue;
    if (!room_for(window, kNameBytes + format::LongEntry::kLongOverhead)) return;
    enter_name(window, now_units(), i + 1);
  }
}

}  // namespace heapledger::runtime
