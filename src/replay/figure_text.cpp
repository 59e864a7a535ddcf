#include "replay/figure_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/text.h"

namespace heapledger {

std::string ns_text(double ns) {
  const double shown = std::max(ns, 0.0);
  if (shown < 99.95) return fmt::format("{:.1f} ns", shown);
  return human_duration(static_cast<uint64_t>(std::llround(shown)));
}

std::string count_text(double count) {
  if (count < 999.5) return fmt::format("{:.0f}", count);
  if (count < 999.5e3) return fmt::format("{:.3g}k", count / 1e3);
  if (count < 999.5e6) return fmt::format("{:.3g}M", count / 1e6);
  return fmt::format("{:.3g}G", count / 1e9);
}

std::string ratio_text(const Ratio& ratio) {
  // Ratios far from 1 need fewer digits.
  const int digits = ratio.ratio < 9.995 ? 2 : ratio.ratio < 99.95 ? 1 : 0;
  if (!ratio.known) return fmt::format("×{:.{}f}", ratio.ratio, digits);
  const double half = (ratio.high - ratio.low) / 2;
  return fmt::format("×{:.{}f} ±{:.{}f}", ratio.ratio, digits, half, digits);
}

std::string fragmentation_text(double value) {
  if (value <= 0) return "-";
  return fmt::format("{:.{}f}", value, value < 99.5 ? 2 : 0);
}

}  // namespace heapledger
