// Blocks that are freed as the very next thing: the stack, or one buffer, does as well.
#include <fmt/format.h>

#include "advice/rules.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr uint64_t kStackBytes = 4096;
constexpr uint64_t kLeastCalls = 100;
constexpr double kLeastShare = 0.5;          // of the calls of a site
constexpr double kNearlyAllTemporary = 0.9;  // for one size, and to be left out of a replay

bool temporary_speaks(const SiteFacts& site, const RunFacts&) {
  const Figures& figures = site.figures;
  if (share_of(figures.temporary_calls, figures.calls) < kLeastShare) return false;
  return figures.largest <= kStackBytes || one_size(figures, kNearlyAllTemporary) > 0;
}

std::optional<Finding> tell_temporary(const SiteFacts& sites, const RunFacts&) {
  const Figures& figures = sites.figures;
  if (figures.temporary_calls < kLeastCalls) return std::nullopt;
  bool small = figures.largest <= kStackBytes;
  uint64_t size = one_size(figures, kNearlyAllTemporary);
  Finding finding;
  finding.what = fmt::format("{} of {} freed as the very next heap operation of the thread.",
                             with_commas(figures.temporary_calls), counted(figures.calls, "block"));
  finding.evidence = fmt::format(
      "{}, {} in all", size > 0 ? "nearly all of " + counted(size, "byte") : sizes_words(figures),
      human_bytes(sites.temporary_bytes));
  finding.advice = small ? "Use the stack, or storage inside the object: a local array, a small "
                           "string or vector that keeps little inline; or one buffer that is kept "
                           "between calls."
                         : "Keep one buffer between calls, for each thread if need be, instead of "
                           "allocating it anew.";
  finding.saved = {figures.temporary_calls, sites.temporary_bytes, 0};
  if (share_of(figures.temporary_calls, figures.calls) >= kNearlyAllTemporary) {
    finding.treatment = Treatment::kNone;
  }
  return finding;
}

}  // namespace

const RuleFunctions kTemporary = {Rule::kTemporary, temporary_speaks, tell_temporary};

}  // namespace heapledger
