// `heapledger check`: a gate for continuous integration.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/error.h"
#include "cli/asking/selection_words.h"
#include "cli/check/gate.h"
#include "cli/check/json.h"
#include "cli/check/junit.h"
#include "cli/check/limits.h"
#include "cli/check/text.h"
#include "cli/commands.h"
#include "cli/pages/page.h"
#include "cli/shared/ledger_paths.h"
#include "cli/shared/opened.h"
#include "cli/shared/options.h"
#include "cli/shared/warnings.h"
#include "text/text.h"

namespace heapledger::cli::check {
namespace {

constexpr int kExitExceeded = 1;

struct CheckOptions {
  NamedLedgers files;
  std::vector<std::optional<std::string>> limits =
      std::vector<std::optional<std::string>>(limit_kinds());  // by LimitKind
  std::string heap;
  std::string against;
  std::string limits_file;
  std::vector<std::string> suppressions;
  bool allow_incomplete = false;
  bool json = false;
  std::string junit;
  NameOptions names;
};

std::vector<Limit> limits_of(const CheckOptions& options) {
  std::vector<Limit> given;
  for (size_t i = 0; i < limit_kinds(); ++i) {
    if (!options.limits[i]) continue;
    auto kind = static_cast<LimitKind>(i);
    given.push_back(parse_limit(kind, *options.limits[i], "command line", "--"));
  }
  std::vector<Limit> listed;
  if (!options.limits_file.empty()) {
    listed = parse_limits(read_words(options.limits_file, "limits"), options.limits_file);
  }
  std::vector<Limit> all = merged_limits(given, listed);
  bool growth = std::any_of(all.begin(), all.end(),
                            [](const Limit& one) { return one.kind == LimitKind::kGrowth; });
  if (growth && options.against.empty()) {
    throw Error("growth is against something; add --against OLD", ErrorKind::kQuestion);
  }
  if (!growth && !options.against.empty()) {
    throw Error("--against alone checks nothing; add --max-growth 5%", ErrorKind::kQuestion);
  }
  if (all.empty()) {
    throw Error(
        "there is no limit to check; give one, such as --max-peak 1G or --max-never-freed 0",
        ErrorKind::kQuestion);
  }
  return all;
}

Suppressions suppressions_of(const CheckOptions& options) {
  Suppressions all = Suppressions::built_in();
  for (const std::string& path : options.suppressions) {
    std::string text = read_words(path, "suppressions");
    try {
      all.add(text);
    } catch (const Error& error) {
      throw Error(path + ": " + error.what(), error.kind());
    }
  }
  return all;
}

// Opened before the long work, so that a wrong name is said at once.
class JunitFile {
 public:
  explicit JunitFile(const std::string& path) : path_(path) {
    if (path.empty()) return;
    file_ = std::fopen(path.c_str(), "w");
    if (file_ == nullptr) {
      throw Error("cannot write " + quoted(path) + ": " + std::strerror(errno),
                  ErrorKind::kQuestion);
    }
  }
  ~JunitFile() {
    if (file_ != nullptr) std::fclose(file_);
  }
  JunitFile(const JunitFile&) = delete;
  JunitFile& operator=(const JunitFile&) = delete;

  void write(const std::string& text) {
    if (file_ == nullptr) return;
    bool written = std::fwrite(text.data(), 1, text.size(), file_) == text.size();
    written = std::fclose(file_) == 0 && written;
    file_ = nullptr;
    if (!written)
      throw Error("cannot write " + heapledger::quoted(path_) + ": " + std::strerror(errno),
                  ErrorKind::kSystem);
  }

 private:
  std::string path_;
  std::FILE* file_ = nullptr;
};

void look_for_gaps(Opened& opened, Checked& checked) {
  const Overview& overview = opened.ledgers().overview();
  bool running = std::any_of(overview.processes.begin(), overview.processes.end(),
                             [](const LedgerFacts& ledger) { return ledger.still_running; });
  bool whole = std::all_of(
      overview.processes.begin(), overview.processes.end(),
      [](const LedgerFacts& ledger) { return ledger.complete && ledger.problems.empty(); });
  if (!running && whole && opened.ledgers().refusals().empty()) return;
  checked.complete = false;
  for (std::string& text : warnings(overview.processes, opened.ledgers().refusals()))
    checked.problems.push_back(std::move(text));
}

// Calls that were only counted have no part in peaks and in what was never freed.
void expect_entries(Opened& opened, const std::vector<Limit>& limits) {
  if (opened.ledgers().overview().counts.empty()) return;
  for (const Limit& limit : limits) {
    if (limit.kind == LimitKind::kCalls || limit.kind == LimitKind::kRss) continue;
    throw Error("recorded with mode=count, which is enough for max-calls and max-rss: " +
                    std::string(name_of(limit.kind)) + " needs mode=trace",
                ErrorKind::kData);
  }
}

// Nobody knows what a live heap held before, or which blocks were freed at once.
void expect_history(Opened& opened, const std::vector<Limit>& limits) {
  if (!opened.ledgers().overview().is_live()) return;
  for (const Limit& limit : limits) {
    if (limit.kind != LimitKind::kPeak && limit.kind != LimitKind::kTemporary &&
        limit.kind < LimitKind::kFirstFigure) {
      continue;
    }
    throw Error(
        "the heap of one moment (mode=live) is enough for max-never-freed, max-calls, max-rss "
        "and max-growth: " +
            std::string(name_of(limit.kind)) + " needs mode=trace",
        ErrorKind::kData);
  }
}

int check_opened(const CheckOptions& options, const std::vector<Limit>& limits,
                 const Suppressions& suppressions, Checked& checked, JunitFile& junit) {
  Opened now(options.files, options.names);
  checked.ledgers = now.paths();
  look_at_heap(now.ledgers(), options.heap);
  look_for_gaps(now, checked);
  expect_entries(now, limits);
  expect_history(now, limits);
  std::optional<Opened> old;
  if (!options.against.empty()) {
    old.emplace(std::vector<std::string>{options.against}, options.names);
    checked.against = old->paths();
    look_at_heap(old->ledgers(), options.heap);
    look_for_gaps(*old, checked);
    expect_entries(*old, limits);
  }
  GateResult result =
      check_gate(limits, now.ledgers(), old ? &old->ledgers() : nullptr, suppressions);
  junit.write(check_junit(result, checked));
  std::string text =
      options.json ? check_json(result, checked) : check_text(result, Page::for_stdout());
  std::fwrite(text.data(), 1, text.size(), stdout);
  now.warn();
  if (old && old->name_warnings() != now.name_warnings()) {
    old->warn();
  } else if (old) {
    print_warnings(old->ledgers());  // what is to be said of both is said once
  }
  if (checked.is_bad()) {
    throw Error(
        "the ledger is damaged or incomplete, so this proves nothing; record again, or take it "
        "as it is with --allow-incomplete",
        ErrorKind::kData);
  }
  return result.holds() ? 0 : kExitExceeded;
}

int check(const CheckOptions& options) {
  const std::vector<Limit> limits = limits_of(options);
  const Suppressions suppressions = suppressions_of(options);
  Checked checked;
  checked.ledgers = options.files.names;
  checked.allow_incomplete = options.allow_incomplete;
  JunitFile junit(options.junit);
  try {
    return check_opened(options, limits, suppressions, checked, junit);
  } catch (const Error& error) {
    junit.write(check_junit_error(error.what(), checked));  // unless it is written already
    throw;
  }
}

void add_limits(Command& command, CheckOptions& options) {
  auto add = [&](LimitKind kind, const char* type, const std::string& description) {
    command
        .add_option("--" + std::string(name_of(kind)), options.limits[static_cast<size_t>(kind)],
                    description)
        ->type_name(type);
  };
  add(LimitKind::kPeak, "SIZE", "Most bytes live at any moment");
  add(LimitKind::kRss, "SIZE", "Highest resident memory");
  add(LimitKind::kUnfreed, "SIZE", "Bytes never freed; or a percentage of all allocated");
  add(LimitKind::kCalls, "N", "Calls that allocate");
  add(LimitKind::kTemporary, "P%", "Share of calls that are temporary; or their number");
  add(LimitKind::kGrowth, "P%", "Growth of peak, never freed, calls and bytes, with --against");
  for (auto i = static_cast<size_t>(LimitKind::kFirstFigure); i < limit_kinds(); ++i) {
    const FigureRow& row = row_of(measure_of(static_cast<LimitKind>(i)));
    add(static_cast<LimitKind>(i), row.unit == FigureUnit::kBytes ? "SIZE" : "N",
        std::string("Over the whole run: ") + std::string(row.help));
  }
  add_heap_option(command, options.heap, "Judge another heap");
  command.add_option("--against", options.against, "The recording to compare with")
      ->type_name("OLD");
  command
      .add_option("--limits", options.limits_file,
                  "More limits, in lines such as: max-peak = 1G; the command line wins")
      ->type_name("FILE");
}

void add_options(Command& command, CheckOptions& options) {
  add_ledger_files(command, options.files, "Ledgers, or folders with ledgers; taken together");
  add_limits(command, options);
  command
      .add_option("--suppressions", options.suppressions,
                  "What may stay unfreed: lines of leak:PATTERN, as for LeakSanitizer")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command.add_flag("--allow-incomplete", options.allow_incomplete,
                   "Judge a damaged or incomplete ledger by what is in it");
  command.add_flag("--json", options.json, "Print JSON");
  command.add_option("--junit", options.junit, "Write a JUnit file too")->type_name("FILE");
  add_name_options(command, options.names);
}

}  // namespace

void add_check(Command& app, int& exit_code) {
  auto options = std::make_shared<CheckOptions>();
  Command* command =
      app.add_subcommand("check", "Fail when a recording exceeds limits: for tests and CI");
  add_options(*command, *options);
  command->footer(
      "Sizes take k, M, G (powers of 1024), also as KiB, MiB, GiB; numbers of calls take k, M, G\n"
      "(powers of 1000).\n\n"
      "Examples:\n"
      "  heapledger check app.ledger --max-peak 256M --max-never-freed 0\n"
      "  heapledger check new.ledger --against old.ledger --max-growth 5%\n"
      "  heapledger check ledgers/ --limits heap.limits --junit heap.xml\n\n"
      "The exit status is 0 when all limits are held, 1 when one is exceeded, 2 when the command\n"
      "or a file name is wrong, or 3 when a ledger is damaged or incomplete.");
  command->callback([options, &exit_code] { exit_code = check(*options); });
}

}  // namespace heapledger::cli::check
