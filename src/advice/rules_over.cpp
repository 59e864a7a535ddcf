// Requests that cost more than they seem to: alignments larger than the block, sizes just above a
// boundary of the allocator, and large blocks that live for a moment.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "advice/rules.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr uint64_t kLeastAligned = 16;
constexpr uint64_t kMappedBytes = 128 << 10;  // glibc maps from here on, at first
constexpr uint64_t kPageBytes = 4096;
constexpr uint64_t kLeastClassBytes = 4096;
constexpr uint64_t kLeastLarge = 50;
constexpr uint64_t kFewAtOnce = 4;
constexpr double kNearlyAllOver = 0.9;
constexpr double kShortLife = 0.01;  // of the run
constexpr double kLeastLoss = 0.02;

bool speaks_of_alignment(const SiteFacts& site, const RunFacts&) {
  return site.over_aligned_calls > 0;
}

std::optional<Finding> tell_alignment(const SiteFacts& sites, const RunFacts&) {
  uint64_t calls = sites.over_aligned_calls;
  if (calls < kLeastAligned) return std::nullopt;
  const Figures& figures = sites.figures;
  uint64_t mean = sites.over_aligned_bytes / calls;
  Finding finding;
  finding.what = fmt::format("{} with an alignment of up to {}, larger than the block itself.",
                             counted(calls, "call"), human_bytes(sites.largest_alignment));
  finding.evidence = fmt::format("{} each; between two of them up to {} are of no use to anybody",
                                 sizes_words(figures), human_bytes(mean));
  finding.advice =
      "Ask for the alignment that the contents need: 64 bytes keep a block on a cache line of its "
      "own. If pages are needed, take them from one large block.";
  uint64_t live = static_cast<uint64_t>(share_of(calls, figures.calls) *
                                        static_cast<double>(figures.live_blocks));
  finding.saved = {0, sites.over_aligned_bytes, live * mean};
  return finding;
}

// What the allocator takes for a block of that size, if it is just above one of its boundaries;
// else the size.
uint64_t rounded_up(uint64_t size, Rounding rounding) {
  if (rounding == Rounding::kGlibc && size >= kMappedBytes) {
    uint64_t whole = (size + 16 + kPageBytes - 1) / kPageBytes * kPageBytes;
    bool just_above = (size + 16) % kPageBytes > 0 && (size + 16) % kPageBytes <= kPageBytes / 16;
    return just_above ? whole - 16 : size;
  }
  if (rounding == Rounding::kClasses && size > kLeastClassBytes) {
    uint64_t power = std::bit_floor(size);
    bool just_above = size > power && size - power <= power / 16;
    return just_above ? power + power / 4 : size;
  }
  return size;
}

uint64_t loss_of(const SiteFacts& site, const RunFacts& run) {
  uint64_t size = one_size(site.figures, kNearlyAllOver);
  uint64_t loss = size == 0 ? 0 : rounded_up(size, run.rounding) - size;
  return share_of(loss, size + loss) >= kLeastLoss ? loss : 0;
}

bool is_large_churn(const SiteFacts& site, const RunFacts& run) {
  const Figures& figures = site.figures;
  if (figures.smallest < kMappedBytes || figures.calls < kLeastLarge) return false;
  if (share_of(figures.temporary_calls, figures.calls) >= 0.5) return false;  // told already
  if (figures.resizes > 0 || !figures.has_lifetimes || figures.peak_blocks > kFewAtOnce) {
    return false;
  }
  if (share_of(figures.ended_blocks, figures.calls) < kNearlyAllOver) return false;
  return share_of(figures.lifetimes.median(), run.duration_ns) <= kShortLife;
}

bool speaks_of_size(const SiteFacts& site, const RunFacts& run) {
  return loss_of(site, run) > 0 || is_large_churn(site, run);
}

Finding tell_churn(const SiteFacts& sites) {
  const Figures& figures = sites.figures;
  Finding finding;
  finding.what = fmt::format("{} of {} and more, each for a moment.",
                             counted(figures.calls, "large block"), human_bytes(figures.smallest));
  finding.evidence = fmt::format("half of them live {} or less, {} at once at the most; {} in all",
                                 human_duration(figures.lifetimes.median()),
                                 with_commas(figures.peak_blocks), human_bytes(figures.bytes));
  finding.advice =
      "Keep the buffers between uses: allocators hand such blocks back to the system, and the next "
      "one begins with fresh pages.";
  uint64_t kept = std::min(figures.peak_blocks, figures.calls);
  finding.saved = {figures.calls - kept, 0, 0};
  finding.treatment = Treatment::kNone;
  return finding;
}

Finding tell_rounding(const SiteFacts& sites, const RunFacts& run, uint64_t loss) {
  const Figures& figures = sites.figures;
  uint64_t size = one_size(figures, kNearlyAllOver);
  Finding finding;
  finding.what =
      fmt::format("asks for {}, just above a boundary of the allocator: {} are lost to rounding.",
                  counted(size, "byte"), percent(loss, size + loss));
  finding.evidence = fmt::format(
      "{}, {} at the peak; {} more than asked for each, {}", counted(figures.calls, "block"),
      with_commas(figures.live_blocks), counted(loss, "byte"),
      run.rounding == Rounding::kGlibc
          ? "if glibc maps them (from 128 KiB on, whole pages with 16 bytes of its own)"
          : "as allocators with four size classes from a power of two to the next do it");
  finding.advice =
      "Make the block fit below the boundary: a header that is kept apart, or a buffer that is a "
      "little shorter.";
  finding.saved = {0, loss * figures.calls, loss * figures.live_blocks};
  return finding;
}

std::optional<Finding> tell_size(const SiteFacts& sites, const RunFacts& run) {
  if (is_large_churn(sites, run)) return tell_churn(sites);
  uint64_t loss = loss_of(sites, run);
  if (loss == 0 || sites.figures.calls < kLeastAligned) return std::nullopt;
  return tell_rounding(sites, run, loss);
}

}  // namespace

const RuleFunctions kOverAligned = {Rule::kOverAligned, speaks_of_alignment, tell_alignment};
const RuleFunctions kOverSized = {Rule::kOverSized, speaks_of_size, tell_size};

}  // namespace heapledger
