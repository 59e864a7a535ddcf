// What the user asked of `report`, from words to a question. A word that is wrong is answered with
// those that are right, and the nearest of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/query.h"
#include "cli/asking/selection_words.h"

namespace heapledger::cli {

// The options as they were given; empty: not given.
struct ReportWords : SelectionWords {
  std::string by;
  std::string sort;
  std::optional<size_t> top;
  std::optional<size_t> frames;
  bool tree = false;
  bool bottom_up = false;
  std::string callers_of;
  std::string callees_of;
  std::string below;
  bool blocks = false;
  bool where_rss = false;
  bool live = false;
  bool raw = false;
  std::vector<std::string> suppressions;  // files
};

enum class ReportView { kOverview, kTable, kTree, kBlocks, kWhereRss };

struct Asked {
  ReportView view = ReportView::kOverview;
  Question question;
  std::string filter_text;
  Suppressions suppressions = Suppressions::built_in();
  std::optional<size_t> top;
  size_t frames = 4;
  bool frames_given = false;
  bool raw = false;  // whole stacks, not owners, where nothing is asked

  size_t top_or(size_t otherwise) const { return top.value_or(otherwise); }
};

void add_suppressions_option(Command& command, std::vector<std::string>& paths);

// Those built in, and those in files. Throws Error.
Suppressions read_suppressions(const std::vector<std::string>& paths);

// Throws Error.
Asked understand(const ReportWords& words);

// One of `words`, which are measures. Throws Error with the nearest right one.
Measure understand_measure(const std::string& word, const std::vector<std::string>& words);

}  // namespace heapledger::cli
