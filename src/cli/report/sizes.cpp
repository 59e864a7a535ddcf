#include "cli/report/sizes.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "analyzer/query/classes.h"
#include "text/text.h"

namespace heapledger::cli::report {
namespace {

// Two classes together, or more at either end, so that ten lines have all.
constexpr std::array kClasses = {
    ClassBounds{0, 16},
    ClassBounds{16, 64},
    ClassBounds{64, 256},
    ClassBounds{256, 1 << 10},
    ClassBounds{1 << 10, 1 << 12},
    ClassBounds{1 << 12, 1 << 14},
    ClassBounds{1 << 14, 1 << 16},
    ClassBounds{1 << 16, 1 << 18},
    ClassBounds{1 << 18, 1 << 20},
    ClassBounds{1 << 20, kNoUpperBound},
};

std::vector<uint64_t> calls_by_class(const Histogram& sizes) {
  std::vector<uint64_t> calls(kClasses.size());
  std::vector<uint64_t> powers = sizes.by_power_of_two();
  for (size_t power = 0; power < powers.size(); ++power) {
    uint64_t least = bounds_of_size_class(static_cast<uint32_t>(power)).from;
    size_t at = 0;
    while (at + 1 < kClasses.size() && least >= kClasses[at].below) ++at;
    calls[at] += powers[power];
  }
  return calls;
}

// What is shorter than its class is not known so well: the clock does not tick for every call.
std::string life_text(uint64_t ns) {
  const ClassBounds shortest = bounds_of_lifetime_class(0);
  return ns < shortest.below ? class_text(GroupBy::kLifetimeClass, ns) : human_duration(ns);
}

void put_common(Buffer& to, const Overview& overview, const Page& page) {
  constexpr size_t kMost = 5;
  std::string text = "most common:";
  for (size_t i = 0; i < std::min(kMost, overview.common_sizes.size()); ++i) {
    const CommonSize& common = overview.common_sizes[i];
    text += fmt::format("{} {} ({})", i == 0 ? "" : ",", human_bytes(common.size),
                        percent(common.calls, overview.sizes.count()));
  }
  put_wrapped(to, page, text, 2);
}

}  // namespace

void put_sizes(Buffer& to, const Overview& overview, const Page& page) {
  const Histogram& sizes = overview.sizes;
  if (sizes.count() == 0) return;
  put_title(to, page,
            fmt::format("sizes: {} on average, {} to {}", human_bytes(sizes.mean()),
                        human_bytes(sizes.smallest()), human_bytes(sizes.largest())));
  std::vector<uint64_t> calls = calls_by_class(sizes);
  uint64_t most = *std::max_element(calls.begin(), calls.end());
  constexpr size_t kBeforeBar = 43;
  size_t bar = page.width > 60           ? std::min<size_t>(page.width - 50, 40)
               : page.width > kBeforeBar ? std::min<size_t>(page.width - kBeforeBar, 10)
                                         : 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (calls[i] == 0) continue;
    size_t length = static_cast<size_t>(static_cast<double>(calls[i]) / static_cast<double>(most) *
                                        static_cast<double>(bar));
    std::string blocks = calls[i] > 0 && length == 0 && bar > 0 ? "·" : "";
    for (size_t j = 0; j < length; ++j) blocks += "█";
    std::string line = fmt::format("  {:>18} {:>13} {:>6}  {}", size_range_text(kClasses[i]),
                                   with_commas(calls[i]), percent(calls[i], sizes.count()), blocks);
    line.erase(line.find_last_not_of(' ') + 1);
    put(to, "{}\n", line);
  }
  if (!overview.common_sizes.empty()) put_common(to, overview, page);
  const Histogram& lives = overview.lifetimes;
  if (lives.count() > 0) {
    put_wrapped(to, page,
                fmt::format("lifetimes: {} median, {} mean, {} at most", life_text(lives.median()),
                            life_text(lives.mean()), life_text(lives.largest())),
                2);
  }
}

}  // namespace heapledger::cli::report
