#include "cli/asking/asked.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "analyzer/error.h"
#include "text/nearest.h"

namespace heapledger::cli {
namespace {

std::vector<std::string> all_groups() {
  std::vector<std::string> words;
  for (int i = static_cast<int>(GroupBy::kSite); i <= static_cast<int>(GroupBy::kLedger); ++i) {
    words.emplace_back(name_of(static_cast<GroupBy>(i)));
  }
  return words;
}

std::vector<std::string> all_measures() {
  std::vector<std::string> words;
  for (const FigureRow& row : figure_catalog()) {
    if (!row.word.empty()) words.emplace_back(row.word);
  }
  return words;
}

GroupBy understand_group(const std::string& word) {
  try {
    return parse_group_by(word);
  } catch (const Error& error) {
    refuse_word(error.what(), word, all_groups());
  }
}

void read_suppressions(const std::string& path, Suppressions& to) {
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
  if (!words.live) return;
  refuse_if(
      words.blocks || words.where_rss,
      "--live is for tables and trees; --blocks and --where-rss are about live blocks anyway");
  refuse_if(!words.between.empty(), "--live is about one moment: take --at");
  refuse_if(!words.sort.empty() && words.sort != "live" && words.sort != "blocks",
            "with --live there is nothing to sort by but live and blocks");
}

}  // namespace

Measure understand_measure(const std::string& word) {
  try {
    return parse_measure(word);
  } catch (const Error& error) {
    refuse_word(error.what(), word, all_measures());
  }
}

Asked understand(const ReportWords& words) {
  Asked asked;
  choose_view(words, asked);
  refuse_what_does_not_go_together(words, asked);
  Question& question = asked.question;
  question.only_live = words.live;
  asked.filter_text = understand_selection(words, question);
  if (question.between) question.sort = Measure::kBytes;
  if (!words.sort.empty()) question.sort = understand_measure(words.sort);
  if (question.sort == Measure::kRssPeak) {
    throw Error(
        "the resident memory is that of a process, so nothing can be sorted by it; for "
        "the process with the most, take --worst rss",
        ErrorKind::kQuestion);
  }
  question.below = words.below;
  for (const std::string& path : words.suppressions) read_suppressions(path, asked.suppressions);
  asked.top = words.top;
  asked.frames_given = words.frames.has_value();
  if (words.frames) asked.frames = *words.frames == 0 ? SIZE_MAX : *words.frames;
  bool lives = question.sort == Measure::kMedianLifetime || question.sort == Measure::kMeanLifetime;
  question.wanted.lifetimes = lives;
  return asked;
}

}  // namespace heapledger::cli
