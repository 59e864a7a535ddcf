// What keeps memory that nobody uses.
#include <fmt/format.h>

#include "advice/rules.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr uint64_t kLeastPinned = 1 << 20;
constexpr double kPinnedShare = 0.05;  // of the resident memory

bool speaks_of_fragmentation(const SiteFacts& site, const RunFacts& run) {
  return site.pinned_bytes > 0 && run.rss_bytes > 0;
}

std::optional<Finding> tell_fragmentation(const SiteFacts& sites, const RunFacts& run) {
  const uint64_t pinned = sites.pinned_bytes;
  const double share = share_of(pinned, run.rss_bytes);
  if (pinned < kLeastPinned || share < kPinnedShare) return std::nullopt;
  Finding finding;
  finding.what = fmt::format(
      "At the peak of the resident memory {} are free that cannot be given back: these blocks lie "
      "in the same pages.",
      human_bytes(pinned));
  finding.evidence = fmt::format("{:.0f}% of {} resident", 100 * share, human_bytes(run.rss_bytes));
  finding.advice =
      "Keep what stays apart from what goes: allocate it before, or from a pool of its own, or "
      "free "
      "it together with what was allocated with it.";
  finding.saved = {0, 0, pinned};
  finding.worth = share;
  return finding;
}

}  // namespace

const RuleFunctions kFragmentation = {Rule::kFragmentation, speaks_of_fragmentation,
                                      tell_fragmentation};

}  // namespace heapledger
