// The public functions by which a program announces blocks of its own pools. They are left out
// where allocations are: while recording is off, and in a thread that is; and in live mode, whose
// tables are of malloc's blocks alone.
#include <arch_caller.h>

#include "runtime/api/exported.h"
#include "runtime/modes/choose_mode.h"
#include "runtime/modes/pools.h"

using namespace heapledger::runtime;

namespace {

using heapledger::settings::Mode;

bool is_wanted(uint32_t pool, const void* block) {
  Mode mode = mode_in_force();
  return pool != 0 && block != nullptr && !is_muted() && ledger_status() == Status::kRecording &&
         mode != Mode::kOff && mode != Mode::kLive;
}

}  // namespace

// NOLINTBEGIN: names and signatures are those of the public header.
HEAPLEDGER_EXPORTED uint32_t heapledger_api_pool(const char* name) {
  return name != nullptr && is_recording() ? pool_number(name) : 0;
}

HEAPLEDGER_EXPORTED void heapledger_api_pool_alloc(uint32_t pool, const void* block, size_t size) {
  CALLER_HERE;
  if (is_wanted(pool, block)) enter_pool_allocation(pool, block, size, {pc, sp, bp});
}

HEAPLEDGER_EXPORTED void heapledger_api_pool_free(uint32_t pool, const void* block) {
  if (is_wanted(pool, block)) enter_pool_free(pool, block);
}

HEAPLEDGER_EXPORTED void heapledger_api_pool_resize(uint32_t pool, const void* old_block,
                                                    const void* block, size_t size) {
  CALLER_HERE;
  if (!is_wanted(pool, block)) return;
  if (old_block == nullptr) return enter_pool_allocation(pool, block, size, {pc, sp, bp});
  enter_pool_resize(pool, old_block, block, size, {pc, sp, bp});
}
// NOLINTEND
