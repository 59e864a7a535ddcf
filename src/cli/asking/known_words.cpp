#include "cli/asking/known_words.h"

#include "analyzer/query.h"

namespace heapledger::cli {

std::vector<std::string> group_words() {
  std::vector<std::string> words;
  for (int i = static_cast<int>(GroupBy::kSite); i <= static_cast<int>(GroupBy::kHeap); ++i) {
    words.emplace_back(name_of(static_cast<GroupBy>(i)));
  }
  return words;
}

std::vector<std::string> sort_words() {
  std::vector<std::string> words;
  for (const FigureRow& row : figure_catalog()) {
    // The resident memory is that of a process, not of a group.
    if (!row.word.empty() && row.measure != Measure::kRssPeak) words.emplace_back(row.word);
  }
  return words;
}

std::vector<std::string> worst_words() {
  std::vector<std::string> words;
  for (Measure measure : measures_of_processes()) words.emplace_back(name_of(measure));
  return words;
}

std::vector<std::string> moment_words() {
  return {"start", "peak", "rss-peak", "end"};
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool last = i + 1 == words.size();
    text += (i == 0 ? "" : last ? " or " : ", ") + words[i];
  }
  return text;
}

}  // namespace heapledger::cli
