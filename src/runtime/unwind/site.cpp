#include "runtime/unwind/site.h"

#include "runtime/unwind/modules.h"

namespace heapledger::runtime {
namespace {

constexpr size_t kEntryBytes = 64;

}  // namespace

uint32_t bear_site(Window& window, uint64_t pc, uint64_t time) {
  uint32_t module = module_at(window, pc, time);
  uint32_t id = reserve_site();
  if (id == kNoSite || !room_for(window, kEntryBytes)) return kNoSite;
  // In the file before anybody can refer to it.
  format::LongEntry(window.encoder, format::Kind::kSite, time)
      .number(id)
      .number(kNoSite)
      .number(module)
      .number(pc)
      .finish();
  return publish_site(id, kNoSite, pc);
}

}  // namespace heapledger::runtime
