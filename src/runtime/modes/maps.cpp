#include "runtime/modes/maps.h"

#include "runtime/ledger/entry_guard.h"
#include "runtime/os/os.h"

namespace heapledger::runtime {
namespace {

using format::Kind;
using format::LongEntry;

constexpr size_t kEntryBytes = 64;

uint64_t address(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

uint64_t whole_pages(size_t bytes) {
  uint64_t page = os::page_bytes();
  return (bytes + page - 1) & ~(page - 1);
}

bool has_room(const EntryGuard& guard) {
  return guard && room_for(*guard, kEntryBytes + LongEntry::kLongOverhead);
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
  uint32_t site = site_of(*guard, caller, time);
  if (!has_room(guard)) return;
  LongEntry((*guard).encoder, Kind::kMap, time)
      .number(address(at))
      .number(whole_pages(bytes))
      .number(site)
      .finish();
}

void enter_unmap(uint64_t time, const void* at, size_t bytes) {
  EntryGuard guard;
  if (!has_room(guard)) return;
  LongEntry((*guard).encoder, Kind::kUnmap, time)
      .number(address(at))
      .number(whole_pages(bytes))
      .finish();
}

void enter_remap(uint64_t time, const void* old, size_t old_bytes, const void* at, size_t bytes,
                 const Caller& caller) {
  EntryGuard guard;
  if (!guard) return;
  uint32_t site = site_of(*guard, caller, time);
  if (!has_room(guard)) return;
  LongEntry((*guard).encoder, Kind::kRemap, time)
      .number(address(old))
      .number(whole_pages(old_bytes))
      .number(address(at))
      .number(whole_pages(bytes))
      .number(site)
      .finish();
}

void enter_break(uint64_t time, const void* old_end, const void* end, const Caller& caller) {
  EntryGuard guard;
  if (!guard) return;
  uint32_t site = site_of(*guard, caller, time);
  if (!has_room(guard)) return;
  LongEntry((*guard).encoder, Kind::kBreak, time)
      .number(address(old_end))
      .number(address(end))
      .number(site)
      .finish();
}

}  // namespace heapledger::runtime
