#include "plots/axes.h"

#include <algorithm>

namespace heapledger {

void Axes::draw_left(Svg& svg, const std::vector<Tick>& ticks) const {
  for (const Tick& tick : ticks) {
    double at = y(tick.value);
    if (tick.value > 0) svg.line(box_.x, at, box_.right(), at, "grid");
    svg.text(box_.x - 6, at + 4, tick.label, "dim", Anchor::kEnd);
  }
}

void Axes::draw_bottom(Svg& svg, const std::vector<Tick>& ticks, bool labels) const {
  svg.line(box_.x, box_.bottom(), box_.right(), box_.bottom(), "axis");
  for (const Tick& tick : ticks) {
    double at = x(tick.value);
    svg.line(at, box_.bottom(), at, box_.bottom() + 4, "axis");
    if (!labels) continue;
    // The last one must not stick out.
    bool at_edge = at + width_of(tick.label, kSmallFont) / 2 > box_.right() + 8;
    svg.text(at_edge ? box_.right() + 8 : at, box_.bottom() + 16, tick.label, "dim",
             at_edge ? Anchor::kEnd : Anchor::kMiddle);
  }
}

double Steps::left(size_t i) const {
  return std::min(axes_.x(static_cast<double>(i) * step_), axes_.box().right());
}

std::string Steps::line(const std::vector<double>& values) const {
  std::string commands;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0 && left(i) >= axes_.box().right()) break;
    std::string y = coordinate(axes_.y(values[i]));
    if (i == 0) {
      commands += "M" + coordinate(left(0)) + " " + y;
    } else if (values[i] != values[i - 1]) {
      commands += "V" + y;
    }
    // A level that goes on needs no point of its own.
    bool goes_on =
        i + 1 < values.size() && values[i + 1] == values[i] && left(i + 1) < axes_.box().right();
    if (!goes_on) commands += "H" + coordinate(left(i + 1));
  }
  return commands;
}

std::string Steps::area(const std::vector<double>& upper, const std::vector<double>& lower) const {
  std::string commands = line(upper);
  if (commands.empty()) return commands;
  size_t count = std::min(upper.size(), lower.size());
  while (count > 1 && left(count - 1) >= axes_.box().right()) --count;
  for (size_t i = count; i-- > 0;) {
    bool same = i + 1 < count && lower[i] == lower[i + 1];
    if (!same) commands += "V" + coordinate(axes_.y(lower[i]));
    bool goes_on = i > 0 && lower[i - 1] == lower[i];
    if (!goes_on) commands += "H" + coordinate(left(i));
  }
  return commands + "Z";
}

size_t ticks_down(double height) {
  return std::clamp<size_t>(static_cast<size_t>(height / 24), 2, 8);
}

size_t ticks_across(double width) {
  return std::clamp<size_t>(static_cast<size_t>(width / 80), 2, 12);
}

}  // namespace heapledger
