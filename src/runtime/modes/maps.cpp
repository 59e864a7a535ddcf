#include "runtime/modes/maps.h"

#include "format/heap_event.h"
#include "runtime/ledger/entry_guard.h"
#include "runtime/os/os.h"

namespace heapledger::runtime {
namespace {

using format::Event;
using format::Function;

uint64_t address(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

uint64_t whole_pages(size_t bytes) {
  uint64_t page = os::page_bytes();
  return (bytes + page - 1) & ~(page - 1);
}

format::HeapEvent event_of(Event what, Function function, const void* at, size_t bytes) {
  format::HeapEvent event;
  event.event = what;
  event.heap = format::kMappingHeap;
  event.function = static_cast<uint32_t>(function);
  event.pointer = address(at);
  event.size = whole_pages(bytes);
  return event;
}

void enter(const EntryGuard& guard, uint64_t time, const format::HeapEvent& event) {
  constexpr size_t kBytes = format::kMaxHeapEventBytes + format::LongEntry::kLongOverhead;
  if (room_for(*guard, kBytes)) format::append_heap_event((*guard).encoder, time, event);
}

}  // namespace

uint64_t time_before_unmap() {
  // A thread's first entry describes the thread, with a time of its own: before ours.
  if (thread_slot.window == nullptr) EntryGuard attach(Missed::kNothing);
  return time_if_allowed();
}

void enter_map(const void* at, size_t bytes, const Caller& caller) {
  EntryGuard guard;
  if (!guard) return;
  uint64_t time = stamp(*guard);
  auto event = event_of(Event::kBirth, Function::kMmap, at, bytes);
  event.site = site_of(*guard, caller, time);
  enter(guard, time, event);
}

void enter_unmap(uint64_t time, const void* at, size_t bytes) {
  EntryGuard guard;
  if (guard) enter(guard, time, event_of(Event::kDeath, Function::kMunmap, at, bytes));
}

void enter_remap(uint64_t time, const void* old, size_t old_bytes, const void* at, size_t bytes,
                 const Caller& caller) {
  EntryGuard guard;
  if (!guard) return;
  auto event = event_of(Event::kResize, Function::kMremap, at, bytes);
  event.old_pointer = address(old);
  event.old_size = whole_pages(old_bytes);
  event.site = site_of(*guard, caller, time);
  enter(guard, time, event);
}

void enter_break(uint64_t time, const void* old_end, const void* end, const Caller& caller) {
  EntryGuard guard;
  if (!guard) return;
  bool grows = address(end) > address(old_end);
  const void* from = grows ? old_end : end;
  auto event = event_of(grows ? Event::kBirth : Event::kDeath, Function::kBrk, from, 0);
  event.size = grows ? address(end) - address(old_end) : address(old_end) - address(end);
  if (grows) event.site = site_of(*guard, caller, time);
  enter(guard, time, event);
}

}  // namespace heapledger::runtime
