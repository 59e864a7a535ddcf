// What log mode needs before its first call: the place where its lines go.
#include "runtime/bootstrap/process_info.h"
#include "runtime/ledger/file.h"
#include "runtime/ledger/layers_above.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/modes/log_output.h"

namespace heapledger::runtime {

void prepare_mode() {
  static constinit PathText path;
  const settings::Settings& asked = settings_in_force;
  if (asked.mode != settings::Mode::kLog) return;
  path.clear();
  if (asked.log_fd < 0 && asked.log_file.given()) {
    expand_pattern(asked.log_file.text, name_facts(), process_info.folder.data(), path);
  } else if (asked.log_fd < 0) {
    companion_name(ledger_path(), ".log", path);
  }
  // A forked process does not speak up on its parent's stderr; its ledger counts what it missed.
  bool forked = process_info.parent_ledger.size() != 0;
  prepare_log(asked.log_fd, path, !forked);
}

}  // namespace heapledger::runtime
