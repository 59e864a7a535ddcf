// The edges of the process's life: when the library is initialised, before a fork, at exit. None
// of them is needed for a correct ledger; they make it richer.
#include <pthread.h>

#include "runtime/bootstrap/start.h"
#include "runtime/ledger/beacon.h"
#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/live_image.h"
#include "runtime/ledger/memory_sample.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/ledger/unrecorded.h"
#include "runtime/modes/every.h"
#include "runtime/modes/statistics.h"
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

// skip-smaller-than=N: nobody wants to see this process.
bool is_too_small() {
  static constinit Statistics figures;
  return settings_in_force.skip_smaller_than != 0 && read_statistics(figures, false) &&
         figures.calls < settings_in_force.skip_smaller_than;
}

__attribute__((constructor(101))) void library_loaded() {
  start();
  if (beacon->recording == 0) return;
  refresh_modules();
  pthread_atfork(before_fork, nullptr, after_fork_in_child);
}

// Later than that: in a static program the other unwinder has to be initialised first.
__attribute__((constructor)) void others_are_ready() {
  if (beacon->recording != 0) prepare_cross_check();
}

__attribute__((destructor(101))) void process_exits() {
  if (beacon->recording == 0) return;
  EntryGuard guard(Missed::kNothing);
  if (!guard) return;
  uint64_t time = now_units();
  sample_memory_at_exit(*guard, time);
  ledger_header()->exit_ticks = now_ticks();
  // What could not be recorded is known here alone; `run` removes the ledger when it has told that.
  if (is_too_small() && !has_unrecorded(ledger_header())) {
    remove_ledger();
  } else {
    if (live_tables_wanted()) write_live_image();
    end_summary();
  }
}

}  // namespace
}  // namespace heapledger::runtime
