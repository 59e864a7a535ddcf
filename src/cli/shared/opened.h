// Ledgers as a command opens them: found, read with a line of progress, their frames named. All
// commands that look into ledgers take the same options for it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analyzer/naming.h"
#include "analyzer/query.h"
#include "analyzer/seal/sealer.h"
#include "cli/shared/ledger_paths.h"
#include "cli/shared/live_ledgers.h"
#include "symbols/symbol_table.h"

namespace heapledger::cli {

class Command;

struct NameOptions {
  bool raw_names = false;                  // as the debug information has them
  std::vector<std::string> shorten_files;  // rules on top of the built-in ones
  std::vector<std::string> debug_folders;
  bool debuginfod = false;
  bool no_cache = false;  // of names that were found before
  bool refresh = false;   // look names up anew that the ledgers have stored
  bool progress = true;   // a line of it, on a terminal
  bool whole = true;      // read all at once; otherwise only what is asked for later
  bool for_sealing = false;
  bool for_long = false;   // they stay open for as long as somebody looks
  bool with_index = true;  // made with the first pass, where that is kept, and asked
  // Told how far it is and with what, beside that line; and free to give up reading.
  std::function<void(uint64_t done, uint64_t total, const std::string& what)> told;
  std::stop_token stop;
};

// Adds --raw-names, --shorten, --debug-folder, --debuginfod and --no-cache.
void add_name_options(Command& command, NameOptions& options);

// The last three alone, for commands that store names and show none.
void add_debug_options(Command& command, NameOptions& options);
void add_cache_option(Command& command, NameOptions& options);

class Opened {
 public:
  // `named`: files and folders. Throws Error when none can be read.
  Opened(const NamedLedgers& named, const NameOptions& options);

  Ledgers& ledgers() { return *ledgers_; }
  const SymbolTable& symbols() const { return symbols_; }
  const std::vector<std::string>& paths() const { return paths_; }

  // What a user should know about the names: modules that were built anew since, or are gone.
  std::vector<std::string> name_warnings() const;

  // Says on stderr what is wrong with the ledgers and the names. Returns the exit status that calls
  // for.
  int warn();

  // What sealing the `ledger`-th of Ledgers::facts() needs to be told: its names and, with
  // NameOptions::for_sealing, checkpoints. Nothing is read for it again.
  seal::Scanned scanned(uint32_t ledger);

 private:
  std::string symbols_of(uint32_t ledger);

  PlainLedgers plain_;  // what of live mode is read instead
  std::vector<std::string> paths_;
  bool whole_;
  std::unique_ptr<Ledgers> ledgers_;
  SymbolTable symbols_;
  std::optional<SymbolShares> shares_;
};

}  // namespace heapledger::cli
