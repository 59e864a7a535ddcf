#include "cli/asking/metric_words.h"

#include <algorithm>

#include "analyzer/error.h"

namespace heapledger::cli {

Metric understand_metric(const std::string& word, bool moment_given, Question& question) {
  const Metric metric = word.empty() ? Metric{} : parse_metric(word);
  if (metric.when == Metric::When::kAsked) return metric;
  if (moment_given || question.between) {
    throw Error("the metric " + word + " is of its own moment; with " +
                    (question.between ? "--between" : "--at") + " take --metric live",
                ErrorKind::kQuestion);
  }
  bool at_peak = metric.when == Metric::When::kPeak;
  question.at.kind = at_peak ? MomentSpec::Kind::kPeak : MomentSpec::Kind::kEnd;
  return metric;
}

void expect_metric(Ledgers& ledgers, Metric metric) {
  if (metric.measure != Measure::kTime) return;
  const std::vector<LedgerFacts>& facts = ledgers.facts();
  if (std::any_of(facts.begin(), facts.end(), [](const LedgerFacts& one) { return one.has_time; }))
    return;
  throw Error(
      "the ledger has no times: record with heapledger run --mode sample --weigh time -- COMMAND",
      ErrorKind::kQuestion);
}

}  // namespace heapledger::cli
