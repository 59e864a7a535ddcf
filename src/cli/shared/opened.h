// Ledgers as a command opens them: found, read with a line of progress, their frames named. All
// commands that look into ledgers take the same options for it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/naming.h"
#include "analyzer/query.h"
#include "cli/shared/live_ledgers.h"
#include "symbols/symbol_table.h"

namespace heapledger::cli {

class Command;

struct NameOptions {
  bool raw_names = false;                  // as the debug information has them
  std::vector<std::string> shorten_files;  // rules on top of the built-in ones
  std::vector<std::string> debug_folders;
  bool debuginfod = false;
  bool refresh = false;  // look names up anew that the ledgers have stored
  bool progress = true;  // a line of it, on a terminal
  bool whole = true;     // read all at once; otherwise only what is asked for later
};

// Adds --raw-names, --shorten, --debug-folder and --debuginfod.
void add_name_options(Command& command, NameOptions& options);

// The last two alone, for commands that store names and show none.
void add_debug_options(Command& command, NameOptions& options);

class Opened {
 public:
  // `named`: files and folders. Throws Error when none can be read.
  Opened(const std::vector<std::string>& named, const NameOptions& options);

  Ledgers& ledgers() { return *ledgers_; }
  const SymbolTable& symbols() const { return symbols_; }
  const std::vector<std::string>& paths() const { return paths_; }

  // What a user should know about the names: modules that were built anew since, or are gone.
  std::vector<std::string> name_warnings() const;

  // Says on stderr what is wrong with the ledgers and the names. Returns the exit status that calls
  // for.
  int warn();

  // The names that the `ledger`-th of Ledgers::facts() needs, as bytes for sealing. Nothing is read
  // for it again.
  std::string symbols_for_sealing(uint32_t ledger);

 private:
  PlainLedgers plain_;  // what of live mode is read instead
  std::vector<std::string> paths_;
  bool whole_;
  std::unique_ptr<Ledgers> ledgers_;
  SymbolTable symbols_;
  std::optional<SymbolShares> shares_;
};

}  // namespace heapledger::cli
