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
#include "cli/asking/known_words.h"
#include "cli/asking/selection_words.h"
#include "cli/commands.h"
#include "cli/diff/json.h"
#include "cli/diff/text.h"
#include "cli/pages/command_line.h"
#include "cli/pages/page.h"
#include "cli/shared/ledger_paths.h"
#include "cli/shared/opened.h"
#include "cli/shared/options.h"
#include "cli/shared/pager.h"
#include "cli/shared/warnings.h"
#include "text/nearest.h"
#include "text/text.h"

namespace heapledger::cli::diff {
namespace {

constexpr size_t kDefaultTop = 10;

struct DiffOptions {
  std::vector<std::string> files;
  bool all_runs = false;
  std::string at = "peak";
  Option* at_option = nullptr;
  std::vector<std::string> moments;
  std::string by = "owner";
  Option* by_option = nullptr;
  bool raw = false;
  std::vector<std::string> suppressions;  // files
  std::string sort = "live";
  std::optional<size_t> top;
  SelectionWords selection;  // its filters
  bool json = false;
  bool no_pager = false;
  NameOptions names;
};

std::vector<std::string> compared_words() {
  std::vector<std::string> words;
  for (Compared one : all_compared()) words.emplace_back(name_of(one));
  return words;
}

// Before the long work: whatever is wrong with the words.
DifferenceQuestion question_of(const DiffOptions& options) {
  DifferenceQuestion question;
  question.at = parse_moment(options.at);
  question.by = options.raw ? GroupBy::kSite : parse_group_by(options.by);
  question.suppressions = read_suppressions(options.suppressions);
  try {
    question.sort = parse_compared(options.sort);
  } catch (const Error& error) {
    refuse_word(error.what(), options.sort, compared_words());
  }
  Question selected;
  understand_selection(options.selection, selected);
  question.filter = selected.filter;
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
  if (options.raw && options.by_option->count() > 0) {
    throw Error("--raw is --by site; give only one of them", ErrorKind::kQuestion);
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
    Paged paged(options.no_pager);
    paged.write(text);
  }
  std::fflush(stdout);
  note_unmatched(difference);
}

int diff_moments(const DiffOptions& options) {
  DiffView view;
  view.question = question_of(options);
  MomentSpec first = parse_moment(options.moments[0]);
  MomentSpec second = parse_moment(options.moments[1]);
  Opened opened({options.files, options.all_runs}, options.names);
  expect_more_than_counts(opened.ledgers());
  Question moments;
  moments.between = {first, second};
  check_moments(opened.ledgers(), moments);
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
  Opened before({{options.files[0]}, options.all_runs}, options.names);
  Opened after({{options.files[1]}, options.all_runs}, options.names);
  expect_more_than_counts(before.ledgers());
  expect_more_than_counts(after.ledgers());
  Question moment;
  moment.at = view.question.at;
  check_moments(before.ledgers(), moment);
  check_moments(after.ledgers(), moment);
  Difference difference = compare(before.ledgers(), after.ledgers(), view.question);
  view.live = before.ledgers().overview().is_live() && after.ledgers().overview().is_live();
  view.before = described(options.files[0], before);
  view.after = described(options.files[1], after);
  const std::string at = to_text(view.question.at);
  show(options, difference, view, {before.paths(), after.paths(), at, at}, before.ledgers(),
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
  add_all_runs_option(command, options.all_runs);
  options.at_option =
      command
          .add_option("--at", options.at,
                      "Compare what is live at: peak (default), rss-peak, end, a time, a marker")
          ->offers(moment_words())
          ->type_name("MOMENT");
  command
      .add_option("--moments", options.moments,
                  "Two moments of one recording, each with all that had happened by then")
      ->expected(2)
      ->allow_extra_args(false)
      ->offers(moment_words())
      ->type_name("M1 M2");
  options.by_option = command
                          .add_option("--by", options.by,
                                      "owner (default: the line to blame), site, function, file, "
                                      "line, module, thread, heap, size or size-class")
                          ->offers({"owner", "site", "function", "file", "line", "module", "thread",
                                    "heap", "size", "size-class"})
                          ->type_name("GROUP");
  command.add_flag("--raw", options.raw, "Whole stacks instead of the lines to blame: --by site");
  command
      .add_option("--sort", options.sort,
                  "live (default) or another figure: " + listed(compared_words()))
      ->offers(compared_words())
      ->type_name("MEASURE");
  command.add_option("--top", options.top, "How many to list (default: 10), 0 for all")
      ->type_name("N");
  add_filter_option(command, options.selection);
  add_suppressions_option(command, options.suppressions);
  command.add_flag("--json", options.json, "Print JSON, with all groups");
  Paged::add_option(command, options.no_pager);
  add_name_options(command, options.names);
}

}  // namespace

void add_diff(Command& app, int& exit_code) {
  auto options = std::make_shared<DiffOptions>();
  Command* command =
      app.add_subcommand("diff", "Show what changed between two recordings or two moments");
  add_options(*command, *options);
  command->footer(
      "Places are matched by their functions and the order of lines in them, not by address, file\n"
      "or line, so that two versions of a program, or two builds of one, can be compared.\n\n"
      "Examples:\n"
      "  heapledger diff old.ledger new.ledger\n"
      "  heapledger diff old.ledger new.ledger --raw\n"
      "  heapledger diff old.ledger new.ledger --by function --sort calls\n"
      "  heapledger diff old/ new/ --at end --top 0\n"
      "  heapledger diff a.ledger --moments 1s 50%\n\n"
      "The exit status is 0 whether or not they differ, 2 when the command or a file name is\n"
      "wrong, or 3 when a ledger is damaged. To fail on growth, see: heapledger check --against");
  command->callback([options, &exit_code] { exit_code = diff(*options); });
}

}  // namespace heapledger::cli::diff
