// What is kept too long, or comes too soon.
#include <fmt/format.h>

#include <algorithm>

#include "advice/rules.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr uint64_t kLeastBytes = 64 << 10;
constexpr uint64_t kLeastTimedBlocks = 16;
constexpr double kQuarterGrows = 0.1;           // of all that is never freed at the site
constexpr double kLongIdle = 0.3;               // of the run, and
constexpr uint64_t kLeastIdleNs = 100'000'000;  // less than that may be the machine's doing

// In the last quarter, and in two of the others: no start-up, and not one burst.
bool grows_to_the_end(const SiteFacts& site) {
  uint64_t all = site.left_bytes_in_all();
  auto grows = [&](uint64_t bytes) { return share_of(bytes, all) >= kQuarterGrows; };
  auto quarters = std::count_if(site.left_bytes.begin(), site.left_bytes.end(), grows);
  return grows(site.left_bytes.back()) && quarters >= 3;
}

bool speaks_of_growth(const SiteFacts& site, const RunFacts&) {
  return site.left_blocks > 0 && grows_to_the_end(site);
}

std::optional<Finding> tell_growth(const SiteFacts& sites, const RunFacts& run) {
  uint64_t bytes = sites.left_bytes_in_all();
  if (bytes < kLeastBytes || sites.left_blocks < kLeastTimedBlocks) return std::nullopt;
  double seconds = static_cast<double>(run.duration_ns) / 1e9;
  auto rate = static_cast<uint64_t>(static_cast<double>(bytes) / std::max(seconds, 1e-9));
  Finding finding;
  finding.what = fmt::format("{} in {} are never freed, and more come until the end.",
                             human_bytes(bytes), counted(sites.left_blocks, "block"));
  const auto& left = sites.left_bytes;
  finding.evidence = fmt::format("by quarter of the run {}, {}, {}, {}; {} a second",
                                 human_bytes(left[0]), human_bytes(left[1]), human_bytes(left[2]),
                                 human_bytes(left[3]), human_bytes(rate));
  finding.advice =
      "Find who should free them, or bound what collects them. A program that soon ends may leave "
      "them; one that goes on will run out of memory.";
  // It goes on after the peak, wherever that was.
  finding.saved = {0, 0, std::min(bytes, sites.figures.live_bytes)};
  finding.worth = std::min(1.0, share_of(bytes, run.peak_bytes));
  return finding;
}

// Live at the peak, while all around it nobody allocates anything, until much later somebody does.
bool speaks_of_early(const SiteFacts& site, const RunFacts& run) {
  uint64_t from = site.neighbours_before_ns;
  uint64_t to = site.neighbours_after_ns;
  if (site.early_bytes == 0 || to <= from || run.peak_time_ns >= to) return false;
  return to - from >= kLeastIdleNs && share_of(to - from, run.duration_ns) >= kLongIdle;
}

std::optional<Finding> tell_early(const SiteFacts& sites, const RunFacts&) {
  uint64_t bytes = std::min(sites.early_bytes, sites.figures.live_bytes);
  if (bytes < kLeastBytes) return std::nullopt;
  uint64_t idle = sites.neighbours_after_ns - sites.neighbours_before_ns;
  Finding finding;
  finding.what = fmt::format(
      "{} live at the peak ({}), allocated {} before the next allocation of "
      "the code around them.",
      human_bytes(bytes), counted(sites.early_blocks, "block"), human_duration(idle));
  finding.evidence = fmt::format(
      "its class or file allocates at {} and then not before {}; a ledger does not see whether the "
      "memory is read or written meanwhile",
      human_duration(sites.neighbours_before_ns), human_duration(sites.neighbours_after_ns));
  finding.advice = "If it is not used before then, allocate it when it is, and the peak is lower.";
  finding.saved = {0, 0, bytes};
  return finding;
}

}  // namespace

const RuleFunctions kNeverFreedGrowth = {Rule::kNeverFreedGrowth, speaks_of_growth, tell_growth};
const RuleFunctions kEarly = {Rule::kEarly, speaks_of_early, tell_early};

}  // namespace heapledger
