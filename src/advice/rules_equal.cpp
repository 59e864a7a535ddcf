// Many small blocks of one size that go together: what an arena or a pool is for.
#include <fmt/format.h>

#include <algorithm>

#include "advice/rules.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr uint64_t kSmallBytes = 512;
constexpr uint64_t kLeastBlocks = 1000;
constexpr uint64_t kLeastAtOnce = 100;
constexpr uint64_t kLeastRun = 16;  // blocks freed one after the other, on average
constexpr double kNearlyAll = 0.9;
constexpr double kFewTemporary = 0.1;

// What glibc takes for a block: 8 bytes of its own, rounded up to 16, 32 at the least. In an arena
// a block needs its size in whole words.
uint64_t overhead_of(uint64_t size) {
  uint64_t chunk = std::max<uint64_t>(32, (size + 8 + 15) / 16 * 16);
  uint64_t words = (size + 7) / 8 * 8;
  return chunk - words;
}

bool speaks(const SiteFacts& site, const RunFacts&) {
  const Figures& figures = site.figures;
  if (figures.largest > kSmallBytes || figures.resizes > 0) return false;
  if (one_size(figures, kNearlyAll) == 0) return false;
  if (share_of(figures.temporary_calls, figures.calls) > kFewTemporary) return false;
  return figures.calls >= kLeastRun * std::max<uint64_t>(site.free_runs, 1);
}

std::optional<Finding> tell(const SiteFacts& sites, const RunFacts&) {
  const Figures& figures = sites.figures;
  if (figures.calls < kLeastBlocks || figures.peak_blocks < kLeastAtOnce) return std::nullopt;
  uint64_t size = figures.common_sizes.front().size;
  uint64_t runs = std::max<uint64_t>(sites.free_runs, 1);
  Finding finding;
  finding.what = fmt::format("{} of {} that end together, {} at a time on average.",
                             counted(figures.calls, "block"), counted(size, "byte"),
                             with_commas(figures.calls / runs));
  uint64_t overhead = overhead_of(size);
  finding.evidence = fmt::format(
      "up to {} live at once, {} at the peak of the program; a block of its own costs {} more than "
      "in an arena (as in glibc: 8 bytes for each block, rounded up to 16)",
      with_commas(figures.peak_blocks), with_commas(figures.live_blocks),
      counted(overhead, "byte"));
  finding.advice =
      "Take them from an arena that is dropped as a whole (std::pmr::monotonic_buffer_resource), "
      "or from a pool of that size.";
  uint64_t arenas = std::max(runs, (figures.bytes + kArenaBytes - 1) / kArenaBytes);
  finding.saved = {figures.calls - std::min(arenas, figures.calls), 0,
                   figures.live_blocks * overhead};
  finding.treatment = Treatment::kArena;
  return finding;
}

}  // namespace

const RuleFunctions kManyEqual = {Rule::kManyEqual, speaks, tell};

}  // namespace heapledger
