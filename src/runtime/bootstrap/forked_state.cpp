#include "runtime/bootstrap/forked_state.h"

#include "runtime/ledger/count_tables.h"
#include "runtime/ledger/file.h"
#include "runtime/ledger/live_image.h"
#include "runtime/ledger/memory_sample.h"
#include "runtime/ledger/window.h"
#include "runtime/modes/choose_mode.h"
#include "runtime/modes/control.h"
#include "runtime/modes/live_blocks.h"
#include "runtime/modes/statistics.h"
#include "runtime/os/descriptor_gate.h"
#include "runtime/unwind/codes.h"
#include "runtime/unwind/site_trie.h"
#include "runtime/unwind/stack_memo.h"
#include "runtime/unwind/unloading.h"

namespace heapledger::runtime {
namespace {

// Live mode's tables in memory are this process's now, with the sites in them.
void forget_tables() {
  forget_live_image();
  if (live_tables_wanted()) forget_live_records(!live_tables_in_memory());
  if (!live_tables_in_memory()) forget_sites();
}

// In this order: nobody is led into what is already gone.
constexpr void (*kPieces[])() = {
    os::forget_descriptors,
    forget_orders,
    forget_changes,
    restart_statistics_after_fork,
    forget_count_tables,
    forget_windows,
    forget_ledger,
    restart_memory_samples,
    forget_tables,
    forget_all_codes,
    forget_unloads,
    begin_epoch,  // what memos know are the parent's sites
};

}  // namespace

void reset_after_fork() {
  for (auto* reset : kPieces) reset();
}

}  // namespace heapledger::runtime
