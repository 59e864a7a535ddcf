#include "cli/report/sizes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "text/text.h"

namespace heapledger::cli::report {
namespace {

struct SizeClass {
  const char* name;
  uint64_t below;
};
constexpr std::array kClasses = {
    SizeClass{"up to 15 B", 16},
    SizeClass{"16 to 63 B", 64},
    SizeClass{"64 to 255 B", 256},
    SizeClass{"256 B to 1 KiB", 1 << 10},
    SizeClass{"1 to 4 KiB", 1 << 12},
    SizeClass{"4 to 16 KiB", 1 << 14},
    SizeClass{"16 to 64 KiB", 1 << 16},
    SizeClass{"64 to 256 KiB", 1 << 18},
    SizeClass{"256 KiB to 1 MiB", 1 << 20},
    SizeClass{"1 MiB and more", UINT64_MAX},
};

std::vector<uint64_t> calls_by_class(const Histogram& sizes) {
  std::vector<uint64_t> calls(kClasses.size());
  std::vector<uint64_t> powers = sizes.by_power_of_two();
  for (size_t power = 0; power < powers.size(); ++power) {
    uint64_t least = power == 0 ? 0 : uint64_t{1} << (power - 1);
    size_t at = 0;
    while (at + 1 < kClasses.size() && least >= kClasses[at].below) ++at;
    calls[at] += powers[power];
  }
  return calls;
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
  size_t first = 0;
  size_t last = calls.size();
  while (calls[first] == 0) ++first;
  while (calls[last - 1] == 0) --last;
  constexpr size_t kBeforeBar = 41;
  size_t bar = page.width > 60           ? std::min<size_t>(page.width - 50, 40)
               : page.width > kBeforeBar ? std::min<size_t>(page.width - kBeforeBar, 10)
                                         : 0;
  for (size_t i = first; i < last; ++i) {
    size_t length = static_cast<size_t>(static_cast<double>(calls[i]) / static_cast<double>(most) *
                                        static_cast<double>(bar));
    std::string blocks = calls[i] > 0 && length == 0 && bar > 0 ? "·" : "";
    for (size_t j = 0; j < length; ++j) blocks += "█";
    std::string line = fmt::format("  {:>16} {:>13} {:>6}  {}", kClasses[i].name,
                                   with_commas(calls[i]), percent(calls[i], sizes.count()), blocks);
    line.erase(line.find_last_not_of(' ') + 1);
    put(to, "{}\n", line);
  }
  if (!overview.common_sizes.empty()) put_common(to, overview, page);
  const Histogram& lives = overview.lifetimes;
  if (lives.count() > 0) {
    put_wrapped(
        to, page,
        fmt::format("lifetimes: {} median, {} mean, {} at most", human_duration(lives.median()),
                    human_duration(lives.mean()), human_duration(lives.largest())),
        2);
  }
}

}  // namespace heapledger::cli::report
