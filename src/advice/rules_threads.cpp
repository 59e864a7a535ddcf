// Blocks that one thread allocates and another frees, again and again: producer and consumer.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "advice/rules.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr uint64_t kLeastThreadBlocks = 1000;
constexpr double kLeastThreadShare = 0.5;
constexpr size_t kMostNames = 3;

// How many blocks would do if each were handed back. Where all are live at once, as results that
// are collected, nothing is won.
uint64_t spared(const SiteFacts& site) {
  uint64_t kept = std::min(site.figures.peak_blocks, site.freed_by_other);
  return site.freed_by_other - kept;
}

// "1 thread (main)", "9 threads (worker 1, worker 2, worker 3, …)": each name once.
std::string words_of(const std::vector<std::pair<uint32_t, uint32_t>>& threads,
                     const RunFacts& run) {
  std::vector<std::string> names;
  for (const auto& [ledger, place] : threads) {
    if (place >= run.threads.size() || run.threads[place].empty()) continue;
    const std::string& name = run.threads[place];
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string list;
  for (size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    list += (list.empty() ? "" : ", ") + names[i];
  }
  if (names.size() > kMostNames) list += ", …";
  return counted(threads.size(), "thread") + (list.empty() ? "" : " (" + list + ")");
}

bool threads_speaks(const SiteFacts& site, const RunFacts&) {
  if (share_of(site.freed_by_other, site.freed) < kLeastThreadShare) return false;
  return share_of(spared(site), site.freed_by_other) >= kLeastThreadShare;
}

std::optional<Finding> tell_threads(const SiteFacts& sites, const RunFacts& run) {
  if (sites.freed_by_other < kLeastThreadBlocks) return std::nullopt;
  Finding finding;
  finding.what =
      fmt::format("{} of {} that are freed, by another thread than the one that allocated them.",
                  with_commas(sites.freed_by_other), counted(sites.freed, "block"));
  finding.evidence = fmt::format(
      "allocated by {}, freed by {}; never more than {} live at once; {} on average",
      words_of(sites.figures.allocating_threads, run), words_of(sites.figures.freeing_threads, run),
      with_commas(sites.figures.peak_blocks), human_bytes(sites.figures.average_size()));
  finding.advice =
      "Hand the blocks back to the thread that fills them, or pass them in batches. Allocators "
      "differ much in what such a free costs: see heapledger replay.";
  finding.saved = {spared(sites), 0, 0};
  return finding;
}

}  // namespace

const RuleFunctions kFreedElsewhere = {Rule::kFreedElsewhere, threads_speaks, tell_threads};

}  // namespace heapledger
