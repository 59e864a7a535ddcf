#include "cli/pictures/words.h"

#include <algorithm>
#include <charconv>

#include "analyzer/error.h"
#include "cli/asking/asked.h"
#include "cli/asking/known_words.h"
#include "cli/asking/metric_words.h"
#include "cli/asking/selection_words.h"
#include "cli/shared/options.h"
#include "text/text.h"

namespace heapledger::cli::pictures {

void add_picture_options(Command& command, PictureWords& words, const std::string& formats) {
  add_ledger_files(command, words.files);
  command.add_option("-o,--output", words.out, "Where to: " + formats)->type_name("OUT");
  command
      .add_option("--metric", words.metric,
                  "What is shown: live (default), peak, never-freed, calls, bytes, temporary, "
                  "time, or any other figure that adds up")
      ->offers(metric_words())
      ->type_name("METRIC");
  add_moment_options(command, words.selection);
  add_filter_option(command, words.selection);
  add_suppressions_option(command, words.suppressions);
  command.add_option("--title", words.title, "The heading (default: the program)")
      ->type_name("TEXT");
  add_name_options(command, words.names);
}

std::string format_by_ending(const PictureWords& words, const std::vector<std::string>& known) {
  if (words.out.empty()) return known.front();
  size_t dot = words.out.rfind('.');
  std::string ending = dot == std::string::npos ? "" : words.out.substr(dot + 1);
  if (std::find(known.begin(), known.end(), ending) != known.end()) return ending;
  std::string list;
  for (const std::string& name : known) list += (list.empty() ? "." : ", .") + name;
  throw Error("the format follows from the end of the name, and " + quoted(words.out) +
                  " has none of " + list,
              ErrorKind::kQuestion);
}

double parse_share(const std::string& text) {
  bool percent = text.ends_with('%');
  double share = 0;
  const char* end = text.data() + text.size() - (percent ? 1 : 0);
  auto [stopped, error] = std::from_chars(text.data(), end, share);
  if (percent) share /= 100;
  if (error != std::errc() || stopped != end || !(share >= 0 && share < 1)) {
    throw Error(quoted(text) + " is not a share: write 1% or 0.01", ErrorKind::kQuestion);
  }
  return share;
}

int draw_picture(const PictureWords& words, const Draw& draw) {
  Question question;
  PictureRequest picture{words.title, understand_selection(words.selection, question)};
  const Metric metric = understand_metric(words.metric, !words.selection.at.empty(), question);
  Output output(words.out);
  Opened opened(words.files, words.names);
  expect_more_than_counts(opened.ledgers());
  check_moments(opened.ledgers(), question);
  expect_metric(opened.ledgers(), metric);
  ExportRequest request{opened.ledgers(),
                        question,
                        metric,
                        !words.metric.empty(),
                        ";",
                        false,
                        {},
                        read_suppressions(words.suppressions)};
  draw(request, picture, output);
  output.finish();
  return opened.warn();
}

}  // namespace heapledger::cli::pictures
