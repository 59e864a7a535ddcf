// One `heapledger run`, from the checks before the program starts to the summary after its end.
#pragma once

#include <string>
#include <vector>

namespace heapledger::cli::run {

struct RunOptions {
  std::string pattern;             // empty: HEAPLEDGER's out=, or the default
  std::vector<std::string> words;  // settings, as name=value
  bool quiet = false;
  bool anyway = false;
  bool no_seal = false;
  std::string seal_when;  // now, later; empty: as it fits
  bool no_cache = false;  // of names
  bool view = false;      // in a browser, once it has ended
  bool no_pools = false;  // switch off the pools that would hide blocks
  std::vector<std::string> command;
};

// Runs the program and returns the exit status to end with, which is the program's. Throws Error
// when it was not run; once it was, whatever else goes wrong is only said on stderr.
int run_session(const RunOptions& options);

}  // namespace heapledger::cli::run
