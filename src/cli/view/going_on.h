// What still goes on while it is shown: ledgers that are being written, and processes whose heap is
// looked at now and then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/shared/ledger_paths.h"
#include "cli/shared/opened.h"
#include "server/opening.h"

namespace heapledger::cli::view {

// The process that writes the first of the ledgers that anybody writes.
std::optional<uint32_t> writer_of(const std::vector<std::string>& paths);

// The same recording as it is now: it may have more processes by now, and then a folder.
NamedLedgers found_again(const std::vector<std::string>& paths);

// A number of a process, unless there is a file of that name.
std::optional<uint32_t> process_named(const NamedLedgers& named);

// A process that runs in live mode.
class LiveProcess {
 public:
  LiveProcess(uint32_t pid, NameOptions names) : pid_(pid), names_(std::move(names)) {}

  uint32_t pid() const { return pid_; }
  std::string title() const;

  // Its heap as it is now. Throws Error when it cannot be read, or has ended.
  server::Shown look(const server::Told& told, const std::stop_token& stop);

 private:
  uint32_t pid_;
  NameOptions names_;
  uint64_t started_ns_ = 0;  // whether it is still the same
};

}  // namespace heapledger::cli::view
