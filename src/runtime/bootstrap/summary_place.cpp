#include "runtime/bootstrap/summary_place.h"

#include "runtime/bootstrap/process_info.h"
#include "runtime/ledger/file.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/modes/every.h"

namespace heapledger::runtime {

void find_summary_place() {
  static constinit PathText path;
  const settings::Settings& asked = settings_in_force;
  if (asked.every_ns == 0) return;
  if (asked.summary.given()) {
    expand_pattern(asked.summary.text, name_facts(), process_info.folder.data(), path);
  } else {
    companion_name(ledger_path(), ".summary", path);
  }
  begin_summary(path);
}

}  // namespace heapledger::runtime
