#include "runtime/modes/damage_note.h"

#include <arch_caller.h>

#include "runtime/ledger/entry_guard.h"
#include "runtime/os/text.h"
#include "runtime/unwind/site.h"

namespace heapledger::runtime {
namespace {

constexpr size_t kEntryBytes = 80;

void write_hex(os::Text<256>& line, uint64_t value) {
  char digits[16];
  size_t count = 0;
  do {
    digits[sizeof digits - ++count] = "0123456789abcdef"[value & 15];
    value >>= 4;
  } while (value != 0);
  line.add("0x").add(digits + sizeof digits - count, count);
}

void write_line(const Found& found, const void* block, size_t size) {
  os::Text<256> line;
  line.add("heapledger: block ");
  write_hex(line, reinterpret_cast<uint64_t>(block));
  line.add(" of ").add_number(size).add(size == 1 ? " byte " : " bytes ");
  switch (found.damage) {
    case Damage::kBefore:
      line.add("was written to before its start, ")
          .add_number(static_cast<uint64_t>(-found.offset))
          .add(found.offset == -1 ? " byte ahead" : " bytes ahead");
      break;
    case Damage::kAfter:
      line.add("was written to past its end, at offset ")
          .add_number(static_cast<uint64_t>(found.offset));
      break;
    case Damage::kFreedAlready:
    case Damage::kNone:
      line.add("is freed again");
      break;
  }
  line.add("\n");
  os::write_stderr(line.data(), line.size());
}

void enter(const Found& found, const void* block, size_t size, const Caller& caller) {
  EntryGuard guard(Missed::kNothing);
  if (!guard) return;
  uint64_t time = stamp(*guard);
  uint32_t site = site_of(*guard, caller, time);
  if (!room_for(*guard, kEntryBytes + format::LongEntry::kLongOverhead)) return;
  format::LongEntry((*guard).encoder, format::Kind::kDamage, time)
      .number(reinterpret_cast<uint64_t>(block))
      .number(size)
      .number(site)
      .number(static_cast<uint64_t>(found.damage))
      .number(static_cast<uint64_t>(found.offset))
      .finish();
}

}  // namespace

__attribute__((noinline)) void tell_damage(const Found& found, const void* block, size_t size) {
  PLACE_HERE;
  enter(found, block, size, {pc, sp, bp});
  write_line(found, block, size);
}

}  // namespace heapledger::runtime
