// Blocks that grow by steps: somebody knew, or could have known, how large they would be.
#include <fmt/format.h>

#include "advice/rules.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr uint64_t kLeastSteps = 16;

bool grown_speaks(const SiteFacts& site, const RunFacts&) {
  return site.growth.steps > 0;
}

std::optional<Finding> tell_grown(const SiteFacts& sites, const RunFacts&) {
  const Growth& growth = sites.growth;
  if (growth.steps < kLeastSteps) return std::nullopt;
  bool reallocs = growth.by_realloc == growth.steps;
  bool copies = growth.by_realloc == 0;
  Finding finding;
  std::string average = growth.chains == 1 ? ""
                                           : fmt::format(", {:.1f} on average",
                                                         share_of(growth.steps, growth.chains));
  finding.what = fmt::format(
      "{} {} in {}{}: {}.", counted(growth.chains, "block"),
      growth.chains == 1 ? "reaches its size" : "reach their sizes", counted(growth.steps, "step"),
      average,
      reallocs ? "realloc after realloc"
      : copies ? "a larger block is allocated, then the one before is freed"
               : "by realloc, or a larger block is allocated and the one before is freed");
  bool all = growth.copied_bytes == growth.outgrown_bytes;
  finding.evidence = fmt::format("{} outgrown on the way, {} copied; the largest ends with {}",
                                 human_bytes(growth.outgrown_bytes),
                                 all ? "all of it" : human_bytes(growth.copied_bytes) + " of it",
                                 human_bytes(growth.largest));
  finding.advice = reallocs ? "Allocate the final size at once where it is known or can be "
                              "estimated; else grow by a factor, not by a constant."
                            : "Reserve before filling: reserve(n) where n is known or can be "
                              "estimated, or keep the container and clear() it for the next use.";
  finding.saved = {growth.steps, growth.outgrown_bytes, 0};
  return finding;
}

}  // namespace

const RuleFunctions kGrownBySteps = {Rule::kGrownBySteps, grown_speaks, tell_grown};

}  // namespace heapledger
