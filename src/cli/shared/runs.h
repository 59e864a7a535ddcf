// Ledgers sorted by the runs they are of, by the number that each has in its header. Those recorded
// by hand have none, and are taken for one run. Any file may lie in a folder; looking never blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/layout.h"

namespace heapledger::cli {

// Of a ledger, raw or sealed; nothing where it is none.
std::optional<format::FileHeader> read_ledger_header(const std::string& path);

struct LedgerRun {
  uint64_t id = 0;
  uint64_t start_ns = UINT64_MAX;  // of its first process, since the epoch
  std::vector<std::string> paths;
};

struct Runs {
  std::vector<LedgerRun> known;  // the newest last
  std::vector<std::string> unreadable;
};
Runs runs_of(const std::vector<std::string>& paths);

// What people know it by: its folder, or its first ledger.
std::string name_of(const LedgerRun& run);

}  // namespace heapledger::cli
