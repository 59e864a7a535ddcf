// Which ledgers the user means: files as they are, a folder as the newest run in it. None is listed
// twice, whatever way it was named.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heapledger::cli {

class Command;

inline constexpr std::string_view kLedgerEnding = ".ledger";
inline constexpr std::string_view kRunFolderEnding = ".ledgers";  // of all processes of a run

struct NamedLedgers {
  NamedLedgers() = default;
  NamedLedgers(std::initializer_list<std::string> its_names) : names(its_names) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a list of names is what it is
  NamedLedgers(std::vector<std::string> its_names, bool all = false)
      : names(std::move(its_names)), all_runs(all) {}

  std::vector<std::string> names;  // none: the current folder
  bool all_runs = false;           // of a folder: the newest alone otherwise
};

// Adds FILE, which can be left out, and --all-runs.
void add_ledger_files(Command& command, NamedLedgers& named,
                      const std::string& help = "Ledgers, or folders with ledgers");
void add_all_runs_option(Command& command, bool& all_runs);

// Says on stderr which run is taken where a folder has several. Throws Error when a folder has no
// ledgers. Files need not exist: opening them will tell.
std::vector<std::string> find_ledger_paths(const NamedLedgers& named);

}  // namespace heapledger::cli
