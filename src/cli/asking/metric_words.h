// What stacks are weighed by, in exports and pictures: `--metric`.
#pragma once

#include <string>

#include "exporters/metric.h"

namespace heapledger::cli {

// Gives the question the moment that the metric is of. Without a word it is `live`. Throws Error
// when the user has chosen another moment (`moment_given`) or a range that the metric is not for.
Metric understand_metric(const std::string& word, bool moment_given, Question& question);

// Throws Error when the ledgers do not have it: time is only in ledgers that were recorded so.
void expect_metric(Ledgers& ledgers, Metric metric);

}  // namespace heapledger::cli
