// `heapledger diff`: what changed from one recording, or one moment, to another.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/error.h"
#include "analyzer/query/difference.h"
#include "cli/asking/asked.h"
#include "cli/asking/selection_words.h"
#include "cli/commands.h"
#include "cli/diff/json.h"
#include "cli/diff/text.h"
#include "cli/pages/command_line.h"
#include "cli/pages/page.h"
#include "cli/shared/opened.h"
#include "cli/shared/options.h"
#include "cli/shared/warnings.h"
#include "text/nearest.h"
#include "text/text.h"

namespace heapledger::cli::diff {
namespace {

constexpr size_t kDefaultTop = 10;

struct DiffOptions {
  std::vector<std::string> files;
  std::string at = "peak";
  Option* at_option = nullptr;
  std::vector<std::string> moments;
  std::string by = "site";
  std::string sort = "live";
  std::optional<size_t> top;
  std::vector<std::string> filters;
  bool json = false;
  NameOptions names;
};

// Before the long work: whatever is wrong with the words.
DifferenceQuestion question_of(const DiffOptions& options) {
  DifferenceQuestion question;
  question.at = parse_moment(options.at);
  question.by = parse_group_by(options.by);
  try {
    question.sort = parse_compared(options.sort);
  } catch (const Error& error) {
    std::vector<std::string> words;
    for (Compared one : all_compared()) words.emplace_back(name_of(one));
    std::string near = nearest_word(options.sort, words);
    throw Error(error.what() + (near.empty() ? "" : ". Is it " + near + "?"), ErrorKind::kQuestion);
  }
  std::string filter;
  for (const std::string& one : options.filters) filter += (filter.empty() ? "" : ",") + one;
  if (!filter.empty()) question.filter = parse_filter(filter);
  question.top = options.top.value_or(options.json ? SIZE_MAX : kDefaultTop);
  if (question.top == 0) question.top = SIZE_MAX;
  return question;
}

void check_words(const DiffOptions& options) {
  if (options.moments.empty() && options.files.size() != 2) {
    throw Error(
        "a difference is between two: heapledger diff OLD NEW, or two moments of one: "
        "heapledger diff FILE --moments start peak",
        ErrorKind::kQuestion);
  }
  if (!options.moments.empty() && options.files.size() != 1) {
    throw Error("--moments compares two moments of one recording; give one FILE only",
                ErrorKind::kQuestion);
  }
  if (!options.moments.empty() && options.at_option->count() > 0) {
    throw Error("--at is for two recordings, --moments for one; give only one of them",
                ErrorKind::kQuestion);
  }
  if (!options.moments.empty() && options.sort == "never-freed") {
    throw Error("what is never freed is known at the end alone; with --moments sort by live",
                ErrorKind::kQuestion);
  }
}

std::string described(const std::string& named, Opened& opened) {
  std::string text = escaped(short_path(named));
  const std::vector<LedgerFacts>& facts = opened.ledgers().facts();
  if (facts.empty()) return text;
  text += "  " + command_line(facts.front());
  if (facts.size() > 1) text += " and " + counted(facts.size() - 1, "further process");
  return text;
}

std::string described(const MomentSpec& moment, uint64_t time_ns) {
  return escaped(to_text(moment)) + ", at " + human_duration(time_ns);
}

void note_unmatched(const Difference& difference) {
  if (difference.unmatched_modules.empty()) return;
  std::string list;
  for (const std::string& module : difference.unmatched_modules) {
    list += (list.empty() ? "" : ", ") + escaped(module);
  }
  std::string text =
      "built anew and without names, so that what is in it cannot be matched: " + list +
      ". Debug information helps.";
  std::fprintf(stderr, "%s %s\n", Style::for_stream(2).warning("note:").c_str(), text.c_str());
}

void show(const DiffOptions& options, const Difference& difference, const DiffView& view,
          const DiffSides& sides, Ledgers& before, Ledgers& after) {
  if (options.json) {
    write_diff_json(stdout, difference, view.question, sides, before, after);
  } else {
    std::string text = diff_text(difference, view, before, after, Page::for_stdout());
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  std::fflush(stdout);
  note_unmatched(difference);
}

int diff_moments(const DiffOptions& options) {
  DiffView view;
  view.question = question_of(options);
  MomentSpec first = parse_moment(options.moments[0]);
  MomentSpec second = parse_moment(options.moments[1]);
  Opened opened(options.files, options.names);
  expect_more_than_counts(opened.ledgers());
  Difference difference = compare_moments(opened.ledgers(), first, second, view.question);
  view.before = described(first, difference.before_ns);
  view.after =
      described(second, difference.after_ns) + ", of " + escaped(short_path(options.files[0]));
  show(options, difference, view, {opened.paths(), opened.paths(), to_text(first), to_text(second)},
       opened.ledgers(), opened.ledgers());
  return opened.warn();
}

int diff(const DiffOptions& options) {
  check_words(options);
  if (!options.moments.empty()) return diff_moments(options);
  DiffView view;
  view.question = question_of(options);
  Opened before({options.files[0]}, options.names);
  Opened after({options.files[1]}, options.names);
  expect_more_than_counts(before.ledgers());
  expect_more_than_counts(after.ledgers());
  Difference difference = compare(before.ledgers(), after.ledgers(), view.question);
  view.live = before.ledgers().overview().is_live() && after.ledgers().overview().is_live();
  view.before = described(options.files[0], before);
  view.after = described(options.files[1], after);
  std::string moment = to_text(view.question.at);
  show(options, difference, view, {before.paths(), after.paths(), moment, moment}, before.ledgers(),
       after.ledgers());
  int status = before.warn();
  // What is to be said of both is said once.
  bool same_names = before.name_warnings() == after.name_warnings();
  return std::max(status, same_names ? print_warnings(after.ledgers()) : after.warn());
}

void add_options(Command& command, DiffOptions& options) {
  command.add_option("FILE", options.files, "Ledgers or folders with ledgers: the old, the new")
      ->required()
      ->expected(1, 2)
      ->type_name("");
  options.at_option =
      command
          .add_option("--at", options.at,
                      "Compare what is live at: peak (default), rss-peak, end, a time, a marker")
          ->type_name("MOMENT");
  command
      .add_option("--moments", options.moments,
                  "Two moments of one recording, each with all that had happened by then")
      ->expected(2)
      ->type_name("M1 M2");
  command
      .add_option("--by", options.by,
                  "site (default), function, file, line, module, thread, size or size-class")
      ->type_name("GROUP");
  command
      .add_option("--sort", options.sort,
                  "live (default), blocks, calls, bytes, peak, never-freed or temporary")
      ->type_name("MEASURE");
  command.add_option("--top", options.top, "How many to list (default: 10), 0 for all")
      ->type_name("N");
  command.add_option("--filter", options.filters, "Only blocks such as size>=1k,thread=worker*")
      ->type_name("CONDITION")
      ->allow_extra_args(false);
  command.add_flag("--json", options.json, "Print JSON, with all groups");
  add_name_options(command, options.names);
}

}  // namespace

void add_diff(Command& app, int& exit_code) {
  auto options = std::make_shared<DiffOptions>();
  Command* command =
      app.add_subcommand("diff", "Show what changed between two recordings or two moments");
  add_options(*command, *options);
  command->footer(
      "Functions are matched by name and file, not by address or line, so that two builds of a\n"
      "program can be compared.\n\n"
      "Examples:\n"
      "  heapledger diff old.ledger new.ledger\n"
      "  heapledger diff old.ledger new.ledger --by function --sort calls\n"
      "  heapledger diff old/ new/ --at end --top 0\n"
      "  heapledger diff a.ledger --moments 1s 50%\n\n"
      "The exit status is 0 whether or not they differ, 2 when the command or a file name is\n"
      "wrong, or 3 when a ledger is damaged. To fail on growth, see: heapledger check --against");
  command->callback([options, &exit_code] { exit_code = diff(*options); });
}

}  // namespace heapledger::cli::diff
