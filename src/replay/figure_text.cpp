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
  if (count > 0 && count < 0.0095) return "<0.01";
  if (count > 0 && count < 9.95) return fmt::format("{:.2g}", count);
  if (count < 999.5) return fmt::format("{:.0f}", count);
  if (count < 999.5e3) return fmt::format("{:.3g}k", count / 1e3);
  if (count < 999.5e6) return fmt::format("{:.3g}M", count / 1e6);
  return fmt::format("{:.3g}G", count / 1e9);
}

bool is_symmetric(const Ratio& ratio) {
  const double up = ratio.high - ratio.ratio;
  const double down = ratio.ratio - ratio.low;
  return std::abs(up - down) <= 0.2 * std::max(up, down);
}

std::string ratio_text(const Ratio& ratio) {
  if (!ratio.defined) return "-";
  // Ratios far from 1 need fewer digits.
  const auto digits = [](double value) { return value < 9.995 ? 2 : value < 99.95 ? 1 : 0; };
  const int own = digits(ratio.ratio);
  if (!ratio.known) return fmt::format("×{:.{}f}", ratio.ratio, own);
  if (!is_symmetric(ratio)) {
    return fmt::format("×{:.{}f} ({:.{}f}–{:.{}f})", ratio.ratio, own, ratio.low, digits(ratio.low),
                       ratio.high, digits(ratio.high));
  }
  const double half = (ratio.high - ratio.low) / 2;
  return fmt::format("×{:.{}f} ±{:.{}f}", ratio.ratio, own, half, own);
}

std::string fragmentation_text(double value) {
  if (value <= 0) return "-";
  return fmt::format("{:.{}f}", value, value < 99.5 ? 2 : 0);
}

std::string single_call_text(double ns, double clock_step_ns) {
  if (ns < clock_step_ns) return fmt::format("<{:.0f} ns", std::ceil(clock_step_ns));
  return ns_text(ns);
}

}  // namespace heapledger
