#include "exporters/metric.h"

#include <algorithm>
#include <array>

#include "analyzer/error.h"
#include "text/nearest.h"

namespace heapledger {
namespace {

struct MetricWords {
  Metric metric;
  std::string_view name;
  std::string_view unit;
  Measure measure;
};

constexpr std::array<MetricWords, 7> kMetrics = {{
    {Metric::kCalls, "calls", "calls", Measure::kCalls},
    {Metric::kBytes, "bytes", "bytes", Measure::kBytes},
    {Metric::kLive, "live", "bytes", Measure::kLiveBytes},
    {Metric::kPeak, "peak", "bytes", Measure::kLiveBytes},
    {Metric::kTemporary, "temporary", "calls", Measure::kTemporaryCalls},
    {Metric::kUnfreed, "never-freed", "bytes", Measure::kLiveBytes},
    {Metric::kTime, "time", "nanoseconds", Measure::kTime},
}};

const MetricWords& words_of(Metric metric) {
  return kMetrics[static_cast<size_t>(metric)];
}

}  // namespace

Metric parse_metric(std::string_view text) {
  std::vector<std::string> names;
  std::string list;
  for (const MetricWords& words : kMetrics) {
    if (words.name == text) return words.metric;
    names.emplace_back(words.name);
    list += (list.empty() ? "" : ", ") + std::string(words.name);
  }
  throw Error(
      "there is no metric '" + std::string(text) + "', only " + list + did_you_mean(text, names),
      kExitUsage);
}

std::string_view name_of(Metric metric) {
  return words_of(metric).name;
}

std::string_view unit_of(Metric metric) {
  return words_of(metric).unit;
}

Measure measure_of(Metric metric) {
  return words_of(metric).measure;
}

std::string describe(Metric metric, const Question& question) {
  std::string when = question.between ? " from " + to_text(question.between->first) + " to " +
                                            to_text(question.between->second)
                                      : "";
  switch (metric) {
    case Metric::kCalls:
      return "calls" + when;
    case Metric::kBytes:
      return "bytes allocated" + when;
    case Metric::kTemporary:
      return "temporary calls" + when;
    case Metric::kTime:
      return "time" + when;
    case Metric::kUnfreed:
      return "bytes never freed";
    case Metric::kPeak:
      return "bytes live at the peak";
    case Metric::kLive:
      break;
  }
  if (question.between) return "bytes allocated and still live," + when;
  bool by_name =
      question.at.kind == MomentSpec::Kind::kPeak || question.at.kind == MomentSpec::Kind::kEnd;
  return std::string("bytes live at ") + (by_name ? "the " : "") + to_text(question.at);
}

uint64_t value_of(const Figures& figures, Metric metric) {
  return value_of(figures, measure_of(metric));
}

void set_moment(Metric metric, bool moment_given, Question& question) {
  bool fixed = metric == Metric::kPeak || metric == Metric::kUnfreed;
  if (fixed && (moment_given || question.between)) {
    throw Error("the metric " + std::string(name_of(metric)) + " is of its own moment; with " +
                    (question.between ? "--between" : "--at") + " take --metric live",
                kExitUsage);
  }
  if (metric == Metric::kPeak) question.at.kind = MomentSpec::Kind::kPeak;
  if (metric == Metric::kUnfreed) question.at.kind = MomentSpec::Kind::kEnd;
}

void expect_metric(Ledgers& ledgers, Metric metric) {
  if (metric != Metric::kTime) return;
  const std::vector<LedgerFacts>& facts = ledgers.facts();
  if (std::any_of(facts.begin(), facts.end(), [](const LedgerFacts& one) { return one.has_time; }))
    return;
  throw Error(
      "the ledger has no times: record with heapledger run --mode sample --weigh time -- COMMAND",
      kExitUsage);
}

}  // namespace heapledger
