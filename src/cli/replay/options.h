// The options of `heapledger replay`, and what they ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/shared/ledger_paths.h"
#include "replay/build.h"
#include "replay/compare.h"

namespace heapledger::cli {
class Command;
}

namespace heapledger::cli::replay {

struct ReplayOptions {
  NamedLedgers files;
  std::optional<uint32_t> process;
  std::string worst;
  std::vector<std::string> allocators;
  std::optional<size_t> rounds;  // none: as many as suit
  std::string speed = "max";
  std::string touch = "all";
  std::string threads = "as-recorded";
  std::string order = "dependencies";
  bool no_latency = false;
  double timeout = 0;  // seconds of one play; 0: as it suits
  bool check = false;
  std::string tune;  // which allocators, with commas between, or "true"; empty: not asked for
  std::optional<double> limit;  // seconds of --tune
  std::string record_to;
  std::string plot;
  bool json = false;
};

void add_replay_options(Command& command, ReplayOptions& options);

// Before the long work: throws Error for whatever is wrong with the words.
void check_replay_words(const ReplayOptions& options);

BuildOptions build_options(const ReplayOptions& options);
CompareOptions compare_options(const ReplayOptions& options);

// The names in `tune`; none: the program's own.
std::vector<std::string> tuned_names(const ReplayOptions& options);

}  // namespace heapledger::cli::replay
