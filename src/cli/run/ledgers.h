// The ledgers that a run has written: found in the output folder by name, and told from all others
// by the run id in their headers. Any file may lie in that folder; looking never blocks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/run/output.h"

namespace heapledger::cli::run {

struct RunLedger {
  std::string path;  // below the folder as the user gave it
  uint32_t pid;
};

// Sorted by path.
std::vector<RunLedger> find_ledgers(const OutputPattern& output, uint64_t run_id);

// Whether the process still runs and records into that file.
bool still_recording(const RunLedger& ledger);

// Whether the mappings of a process (/proc/PID/maps) tell that it records into that file.
bool maps_ledger(std::string_view maps, const std::string& path);

// Whether a name comes from the pattern, the numbers that avoid overwriting included. It may say
// yes to a few names too many; the run id decides.
bool name_fits(std::string_view pattern, std::string_view name);

}  // namespace heapledger::cli::run
