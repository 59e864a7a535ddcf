#include "cli/run/finish.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include "analyzer/seal/seal_file.h"
#include "analyzer/seal/writers.h"
#include "cli/pages/unrecorded_text.h"
#include "cli/run/explain.h"
#include "cli/run/interrupt.h"
#include "cli/run/summary.h"
#include "cli/shared/live_ledgers.h"
#include "cli/shared/opened.h"
#include "cli/shared/progress_line.h"
#include "cores/ledger_memory.h"
#include "settings/settings.h"
#include "text/text.h"

namespace heapledger::cli::run {
namespace {

// A raw ledger's, without the rest of it. Where it cannot be read, that will be said later.
std::vector<UnrecordedGroup> unrecorded_in(const std::string& path) {
  format::UnrecordedTable table{};
  try {
    const auto source = open_file(path);
    if (source->read(format::kUnrecordedOffset, &table, sizeof table) != sizeof table) return {};
  } catch (const std::exception&) {
    return {};
  }
  return read_unrecorded(table);
}

class Finish {
 public:
  Finish(const std::vector<RunLedger>& ledgers, const FinishOptions& options, EndEarly& end_early)
      : options_(options), end_early_(end_early) {
    for (const RunLedger& ledger : ledgers) paths_.push_back(ledger.path);
  }

  void run() {
    for (const std::string& path : paths_) add_unrecorded(unrecorded_, unrecorded_in(path));
    if (options_.skip_smaller_than > 0 && !remove_small()) return;
    if (options_.quiet && !options_.seal) return;
    for (const std::string& path : paths_) make_plain(path);
    remove_empty();
    NameOptions names;
    names.progress = !options_.quiet;
    Opened opened(paths_, names);
    if (!options_.quiet) print_run_summary(stderr, opened.ledgers(), unrecorded_);
    if (options_.seal) seal_all(opened);
  }

  void say(const std::string& text) const {
    if (!options_.quiet) std::fprintf(stderr, "heapledger: %s\n", printable(text).c_str());
  }

 private:
  // Processes of live mode that ended by exec, _exit, a crash or SIGKILL have left nothing; where
  // others have, their ledgers are only in the way.
  void remove_empty() {
    std::vector<std::string> empty;
    for (const std::string& path : paths_) {
      if (has_lost_tables(path)) empty.push_back(path);
    }
    if (empty.empty() || empty.size() == paths_.size()) return;
    for (const std::string& path : empty) {
      if (::unlink(path.c_str()) == 0) std::erase(paths_, path);
    }
    say("note: " + counted(empty.size(), "process") +
        " of live mode ended by exec, _exit, a crash or SIGKILL and left no tables (--tables file "
        "keeps them).");
  }

  // Removes ledgers with too few calls; false when none is left. Only where the ledger has all
  // calls in it: of a process that ended in another mode nobody knows how many there were.
  bool remove_small() {
    constexpr uint32_t kTraced = static_cast<uint32_t>(settings::Mode::kTrace);
    constexpr uint32_t kCounted = static_cast<uint32_t>(settings::Mode::kCount);
    Ledgers ledgers(paths_, {});
    for (const LedgerFacts& ledger : ledgers.facts()) {
      const bool whole = (ledger.mode == kTraced || ledger.mode == kCounted) &&
                         ledger.entries_by_kind[static_cast<size_t>(format::Kind::kMode)] == 0;
      if (!whole || ledger.still_running || ledger.totals.calls >= options_.skip_smaller_than) {
        continue;
      }
      if (seal::has_writer(ledger.path, ledger.pid)) continue;
      if (::unlink(ledger.path.c_str()) == 0) std::erase(paths_, ledger.path);
    }
    if (paths_.empty()) {
      say(explain_all_skipped(options_.skip_smaller_than));
      if (!unrecorded_.empty()) say("note: not recorded: " + unrecorded_line(unrecorded_) + ".");
    }
    return !paths_.empty();
  }

  void seal_all(Opened& opened) {
    end_early_.begin_writing();
    const std::vector<LedgerFacts>& facts = opened.ledgers().facts();
    for (const LedgerFacts& ledger : facts) total_bytes_ += ledger.file_bytes;
    std::string failure;
    uint64_t failures = 0;
    uint64_t left_raw = 0;
    ProgressLine line(!options_.quiet);
    for (uint32_t i = 0; i < facts.size(); ++i) {
      end_early_.check();
      // One that could not be made plain would lose its tables.
      if (cores::is_live_ledger(facts[i].path)) continue;
      try {
        // Somebody may hold it who is not its process: a child that has not used the heap yet.
        if (facts[i].still_running || seal::has_writer(facts[i].path, facts[i].pid)) {
          ++left_raw;
        } else {
          seal_one(facts[i], opened.symbols_for_sealing(i), line);
        }
      } catch (const Interrupted&) {
        throw;
      } catch (const std::exception& error) {
        if (failures++ == 0) failure = error.what();
      }
      done_bytes_ += facts[i].file_bytes;
    }
    line.clear();
    tell(left_raw, failures, failure);
  }

  void seal_one(const LedgerFacts& ledger, std::string symbols, ProgressLine& line) {
    seal::SealOptions sealing;
    sealing.symbols = std::move(symbols);
    sealing.progress = [&](uint64_t done, uint64_t) {
      end_early_.check();
      line.update(std::min(done_bytes_ + done, total_bytes_), total_bytes_, "sealing");
    };
    seal::seal_file(ledger.path, ledger.path, sealing);
  }

  void tell(uint64_t left_raw, uint64_t failures, const std::string& failure) const {
    if (left_raw > 0) {
      say("note: " + counted(left_raw, "ledger") +
          " still being written, left raw; heapledger seal does the rest later.");
    }
    if (failures == 0) return;
    say("note: not sealed, and whole as it was: " + failure +
        (failures > 1 ? " (and " + counted(failures - 1, "ledger") + " more)" : ""));
  }

  FinishOptions options_;
  std::vector<std::string> paths_;
  std::vector<UnrecordedGroup> unrecorded_;  // told by all ledgers, those that are removed included
  EndEarly& end_early_;
  uint64_t total_bytes_ = 0;
  uint64_t done_bytes_ = 0;
};

}  // namespace

void finish_run(const std::vector<RunLedger>& ledgers, const FinishOptions& options,
                EndEarly& end_early) {
  if (options.quiet && !options.seal && options.skip_smaller_than == 0) return;
  Finish finish(ledgers, options, end_early);
  try {
    finish.run();
  } catch (const Interrupted&) {
    end_early.say();
  } catch (const std::exception& error) {
    finish.say(error.what());
  }
}

}  // namespace heapledger::cli::run
