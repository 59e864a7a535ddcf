#include "advice/facts.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace heapledger {
namespace {

// The same size may be common at both.
void add_sizes(std::vector<CommonSize>& to, const std::vector<CommonSize>& more) {
  for (const CommonSize& size : more) {
    auto found = std::find_if(to.begin(), to.end(),
                              [&](const CommonSize& one) { return one.size == size.size; });
    if (found == to.end()) {
      to.push_back(size);
    } else {
      found->calls += size.calls;
      found->over += size.over;
    }
  }
  std::stable_sort(to.begin(), to.end(),
                   [](const CommonSize& a, const CommonSize& b) { return a.calls > b.calls; });
}

using Threads = std::vector<std::pair<uint32_t, uint32_t>>;

void add_threads(Threads& to, const Threads& more) {
  to.insert(to.end(), more.begin(), more.end());
  std::sort(to.begin(), to.end());
  to.erase(std::unique(to.begin(), to.end()), to.end());
}

// Peaks of sites are at moments of their own: their sum is the most that it can have been.
void add_figures(Figures& to, const Figures& more) {
  bool first = to.calls == 0;
  to.smallest = first ? more.smallest : std::min(to.smallest, more.smallest);
  to.largest = std::max(to.largest, more.largest);
  to.Sums::add(more);
  to.has_peak = (first || to.has_peak) && more.has_peak;
  to.peak_bytes += more.peak_bytes;
  to.peak_blocks += more.peak_blocks;
  to.has_lifetimes = (first || to.has_lifetimes) && more.has_lifetimes;
  to.lifetimes.add(more.lifetimes);
  to.has_sizes = (first || to.has_sizes) && more.has_sizes;
  add_sizes(to.common_sizes, more.common_sizes);
  to.has_threads = (first || to.has_threads) && more.has_threads;
  add_threads(to.allocating_threads, more.allocating_threads);
  add_threads(to.freeing_threads, more.freeing_threads);
}

}  // namespace

uint64_t SiteFacts::left_bytes_in_all() const {
  return std::accumulate(left_bytes.begin(), left_bytes.end(), uint64_t{0});
}

void SiteFacts::add(const SiteFacts& other) {
  bool larger = other.figures.calls > figures.calls;
  sites.insert(larger ? sites.begin() : sites.end(), other.sites.begin(), other.sites.end());
  add_figures(figures, other.figures);
  growth.add(other.growth);
  temporary_bytes += other.temporary_bytes;
  freed += other.freed;
  freed_by_other += other.freed_by_other;
  free_runs += other.free_runs;
  for (size_t i = 0; i < kQuarters; ++i) left_bytes[i] += other.left_bytes[i];
  left_blocks += other.left_blocks;
  over_aligned_calls += other.over_aligned_calls;
  over_aligned_bytes += other.over_aligned_bytes;
  largest_alignment = std::max(largest_alignment, other.largest_alignment);
  early_bytes += other.early_bytes;
  early_blocks += other.early_blocks;
  neighbours_before_ns = std::max(neighbours_before_ns, other.neighbours_before_ns);
  pinned_bytes += other.pinned_bytes;
  if (neighbours_after_ns == 0) neighbours_after_ns = other.neighbours_after_ns;
}

Rounding rounding_of(const std::string& allocator) {
  std::string name = allocator.substr(allocator.rfind('/') + 1);
  auto has = [&name](const char* part) { return name.find(part) != std::string::npos; };
  if (has("jemalloc") || has("tcmalloc") || has("mimalloc")) return Rounding::kClasses;
  return name.starts_with("libc.so") || name.starts_with("libc-") ? Rounding::kGlibc
                                                                  : Rounding::kUnknown;
}

}  // namespace heapledger
