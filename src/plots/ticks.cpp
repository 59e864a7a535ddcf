#include "plots/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace heapledger {
namespace {

struct Unit {
  double value;
  const char* name;
};

constexpr std::array kBytes = {
    Unit{1, " B"},        Unit{0x1p10, " KiB"}, Unit{0x1p20, " MiB"}, Unit{0x1p30, " GiB"},
    Unit{0x1p40, " TiB"}, Unit{0x1p50, " PiB"}, Unit{0x1p60, " EiB"},
};
// A minute begins to be one when there are a few of them.
constexpr std::array kTimes = {
    Unit{1, " ns"},     Unit{1e3, " us"},   Unit{1e6, " ms"},       Unit{1e9, " s"},
    Unit{60e9, " min"}, Unit{3600e9, " h"}, Unit{86400e9, " days"},
};
constexpr std::array kCounts = {
    Unit{1, ""}, Unit{1e3, "k"}, Unit{1e6, "M"}, Unit{1e9, "G"}, Unit{1e12, "T"},
};

// The largest unit of which there are as many as `least`.
Unit unit_for(double top, std::span<const Unit> units, double least) {
  Unit unit = units.front();
  for (const Unit& larger : units) {
    if (top >= larger.value * least) unit = larger;
  }
  return unit;
}

std::vector<Tick> ticks_in(const Unit& unit, double top, size_t most, std::string_view suffix) {
  double step = round_step(top / unit.value, most);
  if (step * unit.value > top)
    step = round_step(top / unit.value, 2 * most);  // 0 alone is no scale
  if (unit.value == 1) step = std::max(step, 1.0);
  std::vector<Tick> ticks;
  for (size_t i = 0; i <= most; ++i) {
    double in_units = static_cast<double>(i) * step;
    if (in_units * unit.value > top) break;
    ticks.push_back({in_units * unit.value, fmt::format("{:g}{}{}", in_units, unit.name, suffix)});
  }
  if (!ticks.empty()) ticks.front().label = "0";
  return ticks;
}

}  // namespace

double round_step(double range, size_t most) {
  if (!(range > 0) || most == 0) return 1;
  double least = range / static_cast<double>(most);
  double power = std::pow(10, std::floor(std::log10(least)));
  // One part in a million above is the same: 0.3 / 3 is not quite 0.1.
  for (double factor : {1.0, 2.0, 5.0}) {
    if (factor * power * (1 + 1e-6) >= least) return factor * power;
  }
  return 10 * power;
}

std::vector<Tick> byte_ticks(double top, size_t most, std::string_view suffix) {
  return ticks_in(unit_for(top, kBytes, 1), top, most, suffix);
}

std::vector<Tick> time_ticks(double top_ns, size_t most) {
  double few = top_ns >= 60e9 ? 3 : 1;  // 100 s, but 5 min
  return ticks_in(unit_for(top_ns, kTimes, few), top_ns, most, "");
}

std::vector<Tick> count_ticks(double top, size_t most, std::string_view suffix) {
  double few = top < 1e4 ? 10 : 1;  // 5000, but 20k
  return ticks_in(unit_for(top, kCounts, few), top, most, suffix);
}

}  // namespace heapledger
