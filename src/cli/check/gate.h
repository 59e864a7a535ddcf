// Whether ledgers keep to limits, and who is to blame where they do not. All figures are the
// analyzer's; this only sets them beside the limits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/query.h"
#include "cli/check/limits.h"

namespace heapledger::cli::check {

// A site that has much of what is too much.
struct Culprit {
  std::string name;  // the function to blame
  std::string file;
  uint32_t line = 0;
  std::vector<std::string> callers;  // the next one first
  uint64_t value = 0;                // in the unit of the verdict; for growth, what it grew by
  uint64_t whole = 0;                // what its share is of
};

struct Verdict {
  Limit limit;
  std::string measure;  // "peak", "rss", "never-freed", "calls", "temporary", "bytes"
  bool held = true;
  bool is_bytes = true;  // else calls
  uint64_t value = 0;
  uint64_t of = 0;                // what a percentage is of; for growth, the old value
  std::vector<Culprit> culprits;  // the largest first; none when it is held

  // The value as a percentage: of the whole, or what it grew by.
  std::optional<double> percent() const;
};

struct GateResult {
  std::vector<Verdict> verdicts;
  std::vector<SuppressionUse> suppressions;  // that took something off what is never freed
  bool holds() const;
};

// `old` is for limits on growth. Throws Error when a figure is not in the ledgers at all.
GateResult check_gate(const std::vector<Limit>& limits, Ledgers& ledgers, Ledgers* old,
                      const Suppressions& suppressions);

}  // namespace heapledger::cli::check
