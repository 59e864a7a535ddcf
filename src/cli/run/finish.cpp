#include "cli/run/finish.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/error.h"
#include "analyzer/seal/seal_file.h"
#include "analyzer/seal/writers.h"
#include "cli/pages/unrecorded_text.h"
#include "cli/run/explain.h"
#include "cli/run/interrupt.h"
#include "cli/run/seal_later.h"
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

uint64_t size_of(const std::string& path) {
  std::error_code none;
  const uint64_t bytes = std::filesystem::file_size(path, none);
  return none ? 0 : bytes;
}

// Raw ledgers with less than this are sealed before anybody notices.
constexpr uint64_t kWorthWaitingFor = uint64_t{16} << 20;

class Finish {
 public:
  Finish(const std::vector<RunLedger>& ledgers, const FinishOptions& options, EndEarly& end_early)
      : options_(options), end_early_(end_early) {
    for (const RunLedger& ledger : ledgers) {
      paths_.push_back(ledger.path);
      pids_[ledger.path] = ledger.pid;
    }
  }

  void run() {
    for (const std::string& path : paths_) add_unrecorded(unrecorded_, unrecorded_in(path));
    if (options_.skip_smaller_than > 0 && !remove_small()) return;
    if (options_.quiet && !options_.seal) return leave_one();
    for (const std::string& path : paths_) make_plain(path);
    remove_empty();
    leave_one();
    const bool later = options_.seal && is_for_later();
    const bool now = options_.seal && !later;
    if (now) end_early_.begin_writing();
    // Sealing needs names and checkpoints last of all: it goes on beside the summary until then.
    std::future<void> sealed;
    const Ending ending(named_);
    if (now) sealed = std::async(std::launch::async, [this] { seal_all(); });
    NameOptions names;
    names.progress = !options_.quiet;
    names.for_sealing = now;
    names.no_cache = options_.no_cache;
    opened_.emplace(paths_, names);
    if (!options_.quiet) print_run_summary(stderr, opened_->ledgers(), unrecorded_, options_.pools);
    line_.emplace(!options_.quiet);
    named_.set_value();
    if (later) hand_over();
    if (!now) return;
    sealed.get();
    opened_->ledgers().keep_first_pass();
    line_->clear();
    tell();
  }

  const std::vector<std::string>& paths() const { return paths_; }

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

  // One process, one file. While somebody writes to it, it has to stay where it is: he opens it by
  // its path. (Who begins a ledger in a folder that is gone makes it anew.)
  void leave_one() {
    if (options_.folder == nullptr || paths_.size() != 1) return;
    const uint32_t pid = pids_[paths_[0]];
    if (seal::has_writer(paths_[0], pid)) return;
    paths_[0] = options_.folder->move_up(paths_[0]);
    pids_[paths_[0]] = pid;
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

  bool is_for_later() const {
    if (options_.seal_later != SealLater::kOnTerminal) {
      return options_.seal_later == SealLater::kAlways;
    }
    uint64_t bytes = 0;
    for (const std::string& path : paths_) bytes += size_of(path);
    return bytes >= kWorthWaitingFor && ::isatty(STDERR_FILENO) == 1;
  }

  void hand_over() const {
    if (seal_later(paths_, options_.no_cache)) {
      say("sealing goes on in the background; until then the ledger is larger, and as good.");
    } else {
      say("note: not sealed; heapledger seal does it.");
    }
  }

  // Where the summary was given up: whoever waits for the names does so, too.
  struct Ending {
    explicit Ending(std::promise<void>& its_promise) : promise(its_promise) {}
    ~Ending() {
      try {
        promise.set_exception(
            std::make_exception_ptr(Error("there is no summary", ErrorKind::kSystem)));
      } catch (const std::future_error&) {
        // They are there.
      }
    }
    std::promise<void>& promise;
  };

  // Of one that must stay as it is, without being a failure.
  struct LeftRaw {};

  using Named = std::shared_future<void>;

  void wait_for(const Named& named) const {
    while (named.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) {
      end_early_.check();
    }
    named.get();
  }

  void seal_all() {
    const Named named = named_.get_future().share();
    for (const std::string& path : paths_) total_bytes_ += size_of(path);
    for (const std::string& path : paths_) {
      end_early_.check();
      const uint64_t bytes = size_of(path);
      // One that could not be made plain would lose its tables.
      if (cores::is_live_ledger(path)) continue;
      try {
        // Somebody may hold it who is not its process: a child that has not used the heap yet.
        if (seal::has_writer(path, pids_[path])) throw LeftRaw();
        seal_one(path, named);
      } catch (const Interrupted&) {
        throw;
      } catch (const LeftRaw&) {
        ++left_raw_;
      } catch (const std::exception& error) {
        wait_for(named);
        // Of one that could not even be read, the summary has said so.
        if (place_of(path) && failures_++ == 0) failure_ = error.what();
      }
      done_bytes_ += bytes;
    }
  }

  void seal_one(const std::string& path, const Named& named) {
    seal::SealOptions sealing;
    sealing.scanned = [&] {
      wait_for(named);
      const std::optional<uint32_t> place = place_of(path);
      if (!place || opened_->ledgers().facts()[*place].still_running) throw LeftRaw();
      return opened_->scanned(*place);
    };
    const uint64_t bytes = size_of(path);
    sealing.progress = [&, bytes](uint64_t done, uint64_t total) {
      end_early_.check();
      if (named.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
      named.get();  // where there is no summary, there is no more to be done
      const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1;
      const uint64_t here = static_cast<uint64_t>(share * static_cast<double>(bytes));
      line_->update(std::min(done_bytes_ + here, total_bytes_), total_bytes_, "sealing");
    };
    seal::seal_file(path, path, sealing);
  }

  // Among the ledgers that could be read.
  std::optional<uint32_t> place_of(const std::string& path) {
    const std::vector<LedgerFacts>& facts = opened_->ledgers().facts();
    for (uint32_t i = 0; i < facts.size(); ++i) {
      if (facts[i].path == path) return i;
    }
    return std::nullopt;
  }

  void tell() const {
    if (left_raw_ > 0) {
      say("note: " + counted(left_raw_, "ledger") +
          " still being written, left raw; heapledger seal does the rest later.");
    }
    if (failures_ == 0) return;
    say("note: not sealed, and whole as it was: " + failure_ +
        (failures_ > 1 ? " (and " + counted(failures_ - 1, "ledger") + " more)" : ""));
  }

  FinishOptions options_;
  std::vector<std::string> paths_;
  std::vector<UnrecordedGroup> unrecorded_;  // told by all ledgers, those that are removed included
  EndEarly& end_early_;
  std::map<std::string, uint32_t> pids_;

  // The summary's, for the thread that seals once they are named_.
  std::optional<Opened> opened_;
  std::optional<ProgressLine> line_;
  std::promise<void> named_;

  // Of the thread that seals, until it has ended.
  uint64_t total_bytes_ = 0;
  uint64_t done_bytes_ = 0;
  uint64_t left_raw_ = 0;
  uint64_t failures_ = 0;
  std::string failure_;
};

}  // namespace

std::vector<std::string> finish_run(const std::vector<RunLedger>& ledgers,
                                    const FinishOptions& options, EndEarly& end_early) {
  Finish finish(ledgers, options, end_early);
  try {
    finish.run();
  } catch (const Interrupted&) {
    end_early.say();
    return {};
  } catch (const std::exception& error) {
    finish.say(error.what());
  }
  return finish.paths();
}

}  // namespace heapledger::cli::run
