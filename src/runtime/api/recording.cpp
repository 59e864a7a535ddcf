// The public functions that say what is recorded: start, stop, mode, thresholds.
#include "runtime/api/exported.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/modes/choose_mode.h"
#include "runtime/os/text.h"

using namespace heapledger::runtime;
using heapledger::format::ControlResult;

// NOLINTBEGIN: names and signatures are those of the public header.
HEAPLEDGER_EXPORTED int heapledger_api_enabled(void) {
  return is_recording() && mode_in_force() != heapledger::settings::Mode::kOff && !is_muted();
}

HEAPLEDGER_EXPORTED int heapledger_api_start(void) {
  return is_recording() && resume_recording() == ControlResult::kDone;
}

HEAPLEDGER_EXPORTED int heapledger_api_stop(void) {
  return is_recording() && pause_recording() == ControlResult::kDone;
}

HEAPLEDGER_EXPORTED int heapledger_api_start_thread(void) {
  if (!is_recording()) return 0;
  pause_thread(false);
  return 1;
}

HEAPLEDGER_EXPORTED int heapledger_api_stop_thread(void) {
  if (!is_recording()) return 0;
  pause_thread(true);
  return 1;
}

HEAPLEDGER_EXPORTED int heapledger_api_mode(const char* words) {
  return words != nullptr && is_recording() && change_mode(words) == ControlResult::kDone;
}

HEAPLEDGER_EXPORTED int heapledger_api_stacks_for(uint64_t at_least, uint64_t at_most) {
  if (at_least > at_most || !is_recording()) return 0;
  change_stacks_for(at_least, at_most);
  return 1;
}
// NOLINTEND
