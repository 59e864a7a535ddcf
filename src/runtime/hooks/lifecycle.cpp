// The edges of the process's life: when the library is initialised, before a fork, at exit. None
// of them is needed for a correct ledger; they make it richer.
#include <pthread.h>

#include "runtime/bootstrap/start.h"
#include "runtime/hooks/last_act.h"
#include "runtime/hooks/signals.h"
#include "runtime/ledger/beacon.h"
#include "runtime/ledger/ending.h"
#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/live_image.h"
#include "runtime/ledger/memory_sample.h"
#include "runtime/modes/every.h"
#include "runtime/unwind/cross_check.h"
#include "runtime/unwind/modules.h"

namespace heapledger::runtime {
namespace {

// Marks the fork in the parent's ledger, so that the child's position in it is exact.
void before_fork() {
  if (beacon->recording == 0) return;
  EntryGuard guard(Missed::kNothing);
  if (!guard || !room_for(*guard, format::LongEntry::kLongOverhead)) return;
  format::LongEntry((*guard).encoder, format::Kind::kFork, now_units()).finish();
}

void after_fork_in_child() {
  leave_parents_window();
  wipe_beacon();
}

__attribute__((constructor(101))) void library_loaded() {
  start();
  if (beacon->recording == 0) return;
  refresh_modules();
  if (live_tables_in_memory()) watch_signals();
  pthread_atfork(before_fork, nullptr, after_fork_in_child);
}

// Later than that: in a static program the other unwinder has to be initialised first.
__attribute__((constructor)) void others_are_ready() {
  if (beacon->recording != 0) prepare_cross_check();
}

__attribute__((destructor(101))) void process_exits() {
  stand_still_if_ending();
  if (beacon->recording == 0) return;
  EntryGuard guard(Missed::kNothing);
  if (guard) sample_memory_at_exit(*guard, now_units());
  // A handler that interrupted a hook may end the program, too.
  if (!guard && !live_tables_wanted()) return;
  ledger_header()->exit_ticks = now_ticks();
  if (last_act()) end_summary();
}

}  // namespace
}  // namespace heapledger::runtime
