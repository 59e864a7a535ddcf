#include "cli/asking/asked.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "analyzer/error.h"
#include "cli/asking/known_words.h"
#include "cli/shared/options.h"
#include "text/nearest.h"

namespace heapledger::cli {
namespace {

GroupBy understand_group(const std::string& word) {
  try {
    return parse_group_by(word);
  } catch (const Error& error) {
    refuse_word(error.what(), word, group_words());
  }
}

void add_suppressions(const std::string& path, Suppressions& to) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw Error("cannot read the suppressions in '" + path + "'", ErrorKind::kQuestion);
  try {
    to.add(text);
  } catch (const Error& error) {
    throw Error(path + ": " + error.what(), ErrorKind::kQuestion);
  }
}

void choose_view(const ReportWords& words, Asked& asked) {
  Question& question = asked.question;
  int trees = (words.tree ? 1 : 0) + (words.bottom_up ? 1 : 0) +
              (words.callers_of.empty() ? 0 : 1) + (words.callees_of.empty() ? 0 : 1);
  int views =
      trees + (words.by.empty() ? 0 : 1) + (words.blocks ? 1 : 0) + (words.where_rss ? 1 : 0);
  if (views > 1) {
    throw Error(
        "take one of --by, --tree, --bottom-up, --callers-of, --callees-of, --blocks and "
        "--where-rss",
        ErrorKind::kQuestion);
  }
  bool asks = !words.at.empty() || !words.between.empty() || !words.sort.empty() ||
              !words.filters.empty() || !words.below.empty() || words.live;
  if (!words.by.empty()) question.by = understand_group(words.by);
  if (words.tree) question.tree = TreeShape::kTopDown;
  if (words.bottom_up) question.tree = TreeShape::kBottomUp;
  if (!words.callers_of.empty()) question.tree = TreeShape::kCallersOf;
  if (!words.callees_of.empty()) question.tree = TreeShape::kCalleesOf;
  question.function = words.callers_of + words.callees_of;
  asked.view = trees > 0           ? ReportView::kTree
               : words.blocks      ? ReportView::kBlocks
               : words.where_rss   ? ReportView::kWhereRss
               : asks || views > 0 ? ReportView::kTable
                                   : ReportView::kOverview;
}

void refuse_what_does_not_go_together(const ReportWords& words, const Asked& asked) {
  auto refuse_if = [](bool wrong, const char* message) {
    if (wrong) throw Error(message, ErrorKind::kQuestion);
  };
  if (asked.view == ReportView::kWhereRss) {
    refuse_if(!words.between.empty(), "--where-rss is about one moment: take --at");
    refuse_if(!words.filters.empty() || !words.below.empty() || !words.sort.empty(),
              "--where-rss is about all memory of the process, so it takes no --filter, --below or "
              "--sort; for some of the blocks take --blocks or --by");
  }
  refuse_if(
      asked.view == ReportView::kBlocks && !words.sort.empty(),
      "--blocks has single blocks, the largest first, and takes no --sort; for sums take --by");
  refuse_if(words.raw && asked.view != ReportView::kOverview,
            "--raw is for the report without a question; for stacks take --by site");
  if (!words.live) return;
  refuse_if(
      words.blocks || words.where_rss,
      "--live is for tables and trees; --blocks and --where-rss are about live blocks anyway");
  refuse_if(!words.between.empty(), "--live is about one moment: take --at");
  refuse_if(!words.sort.empty() && words.sort != "live" && words.sort != "blocks",
            "with --live there is nothing to sort by but live and blocks");
}

}  // namespace

Measure understand_measure(const std::string& word, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), word) != words.end()) return parse_measure(word);
  refuse_word("unknown measure '" + word + "'; take " + listed(words), word, words);
}

void add_suppressions_option(Command& command, std::vector<std::string>& paths) {
  command
      .add_option("--suppressions", paths,
                  "Never-freed blocks to accept, in LeakSanitizer's syntax: lines of leak:PATTERN")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

Suppressions read_suppressions(const std::vector<std::string>& paths) {
  Suppressions all = Suppressions::built_in();
  for (const std::string& path : paths) add_suppressions(path, all);
  return all;
}

Asked understand(const ReportWords& words) {
  Asked asked;
  choose_view(words, asked);
  refuse_what_does_not_go_together(words, asked);
  Question& question = asked.question;
  question.only_live = words.live;
  if (asked.view == ReportView::kWhereRss) question.at.kind = MomentSpec::Kind::kRssPeak;
  asked.filter_text = understand_selection(words, question);
  if (question.between) question.sort = Measure::kBytes;
  if (words.sort == row_of(Measure::kRssPeak).word) {
    throw Error(
        "the resident memory is that of a process, so nothing can be sorted by it; for "
        "the process with the most, take --worst rss",
        ErrorKind::kQuestion);
  }
  if (!words.sort.empty()) question.sort = understand_measure(words.sort, sort_words());
  question.below = words.below;
  asked.suppressions = read_suppressions(words.suppressions);
  asked.top = words.top == size_t{0} ? SIZE_MAX : words.top;
  asked.raw = words.raw;
  asked.frames_given = words.frames.has_value();
  if (words.frames) asked.frames = *words.frames == 0 ? SIZE_MAX : *words.frames;
  bool lives = question.sort == Measure::kMedianLifetime || question.sort == Measure::kMeanLifetime;
  question.wanted.lifetimes = lives;
  return asked;
}

}  // namespace heapledger::cli
