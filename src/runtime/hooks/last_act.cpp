#include "runtime/hooks/last_act.h"

#include <atomic>

#include "runtime/ledger/file.h"
#include "runtime/ledger/live_image.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/ledger/unrecorded.h"
#include "runtime/modes/statistics.h"
#include "runtime/os/os.h"

namespace heapledger::runtime {
namespace {

// By process ids: a forked child has not done what its parent has.
constinit std::atomic<uint32_t> begun_by{0};
constinit std::atomic<uint32_t> done_by{0};
constinit std::atomic<bool> removed{false};

uint32_t own_id() {
  return filter_expected() ? ledger_header()->pid : os::process_id();
}

// skip-smaller-than=N: nobody wants to see this process.
bool is_too_small() {
  static constinit Statistics figures;
  return settings_in_force.skip_smaller_than != 0 && read_statistics(figures, false) &&
         figures.calls < settings_in_force.skip_smaller_than;
}

void act() {
  // What could not be recorded is known here alone; `run` removes the ledger when it has told that.
  bool too_small = is_too_small() && !has_unrecorded(ledger_header());
  removed.store(too_small, std::memory_order_relaxed);
  if (too_small) {
    remove_ledger();
  } else if (live_tables_wanted()) {
    write_live_image();
  }
}

}  // namespace

bool last_act_begun() {
  return begun_by.load(std::memory_order_acquire) == own_id();
}

bool last_act() {
  uint32_t own = own_id();
  if (own != ledger_header()->pid) return false;  // a vfork child, which has only borrowed all this
  bool quiet = filter_expected();                 // no system calls any more
  uint64_t signals = quiet ? 0 : os::block_signals();
  uint32_t before = begun_by.load(std::memory_order_relaxed);
  if (before != own && begun_by.compare_exchange_strong(before, own, std::memory_order_acq_rel)) {
    act();
    done_by.store(own, std::memory_order_release);
  }
  while (done_by.load(std::memory_order_acquire) != own) {
    if (!quiet) os::yield_processor();
  }
  if (!quiet) os::restore_signals(signals);
  return !removed.load(std::memory_order_relaxed);
}

}  // namespace heapledger::runtime
