#include "exporters/metric.h"

#include "analyzer/error.h"
#include "text/nearest.h"

namespace heapledger {
namespace {

constexpr std::string_view kPeakWord = "peak";
constexpr std::string_view kEndWord = "never-freed";

bool is_live(Measure measure) {
  return measure == Measure::kLiveBytes || measure == Measure::kLiveBlocks;
}

bool is_metric(const FigureRow& row) {
  return !row.word.empty() && adds_up(row.measure);
}

}  // namespace

std::vector<std::string> metric_words() {
  std::vector<std::string> words = {std::string(kPeakWord), std::string(kEndWord)};
  for (const FigureRow& row : figure_catalog()) {
    if (is_metric(row)) words.emplace_back(row.word);
  }
  return words;
}

Metric parse_metric(std::string_view text) {
  if (text == kPeakWord) return {Measure::kLiveBytes, Metric::When::kPeak};
  if (text == kEndWord) return kNeverFreedMetric;
  for (const FigureRow& row : figure_catalog()) {
    if (is_metric(row) && row.word == text) return {row.measure};
  }
  const std::vector<std::string> names = metric_words();
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  throw Error(
      "unknown metric '" + std::string(text) + "'; there are " + list + did_you_mean(text, names),
      ErrorKind::kQuestion);
}

std::string_view unit_of(Metric metric) {
  const FigureRow& row = row_of(metric.measure);
  if (row.unit == FigureUnit::kBytes) return "bytes";
  if (row.unit == FigureUnit::kNanoseconds) return "nanoseconds";
  return row.key.ends_with("_blocks") ? "blocks" : "calls";
}

std::string describe(Metric metric, const Question& question) {
  if (metric.when == Metric::When::kEnd) return "bytes never freed";
  if (metric.when == Metric::When::kPeak) return "bytes live at the peak";
  const std::string unit(unit_of(metric));
  std::string when = question.between ? " from " + to_text(question.between->first) + " to " +
                                            to_text(question.between->second)
                                      : "";
  if (!is_live(metric.measure)) {
    const std::string title(row_of(metric.measure).title);
    if (metric.measure == Measure::kTemporaryCalls) return title + " " + unit + when;
    return (unit == "bytes" ? "bytes " : "") + title + when;
  }
  if (question.between) return unit + " allocated and still live," + when;
  bool by_name =
      question.at.kind == MomentSpec::Kind::kPeak || question.at.kind == MomentSpec::Kind::kEnd;
  return unit + " live at " + (by_name ? "the " : "") + to_text(question.at);
}

}  // namespace heapledger
