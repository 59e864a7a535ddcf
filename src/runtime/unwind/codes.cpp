#include "runtime/unwind/codes.h"

#include <atomic>

#include "runtime/ledger/live_image.h"
#include "runtime/os/together.h"
#include "runtime/unwind/address_table.h"
#include "runtime/unwind/modules.h"

namespace heapledger::runtime {
namespace {

constexpr size_t kCodeEntryBytes = 64;

// From a single page, for a forked child that meets little code, to 2 MiB.
HEAPLEDGER_TOGETHER constinit AddressTable<6, 4> code_table = {};
HEAPLEDGER_TOGETHER constinit std::atomic<uint32_t> next_code{1};

uint64_t packed(Code code) {
  return uint64_t{code.module} << 32 | code.number;
}
Code unpacked(uint64_t word) {
  return {static_cast<uint32_t>(word), static_cast<uint32_t>(word >> 32)};
}

__attribute__((noinline, cold)) Code enter_code(Window& window, uint64_t pc, uint64_t time) {
  Code code;
  code.module = pc < format::kFirstCode ? kNoModule : module_at(window, pc - 1, time);
  // Live mode has no entries; its sites say their addresses and modules themselves.
  if (!live_tables_wanted() && !room_for(window, kCodeEntryBytes)) return {};
  code.number = next_code.fetch_add(1, std::memory_order_relaxed);
  if (!live_tables_wanted()) {
    format::LongEntry(window.encoder, format::Kind::kCode, time)
        .number(code.number)
        .number(code.module)
        .number(pc)
        .finish();
  }
  code_table.keep(pc, packed(code));
  return code;
}

}  // namespace

Code code_at(Window& window, uint64_t pc, uint64_t time) {
  uint64_t word;
  return code_table.find(pc, word) ? unpacked(word) : enter_code(window, pc, time);
}

void forget_codes(uint64_t start, uint64_t end) {
  code_table.forget_range(start, end);
}

void forget_all_codes() {
  if (live_tables_in_memory()) return;  // no ledger has entries of them
  code_table.forget_all();
  next_code.store(1, std::memory_order_relaxed);
}

}  // namespace heapledger::runtime
