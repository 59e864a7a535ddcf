// The part of a picture in which data stand: a box with a scale on each side.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plots/svg.h"
#include "plots/ticks.h"

namespace heapledger {

class Axes {
 public:
  // The box is that of the data alone; both scales begin at 0.
  Axes(const Box& box, double x_top, double y_top)
      : box_(box), x_top_(x_top > 0 ? x_top : 1), y_top_(y_top > 0 ? y_top : 1) {}

  const Box& box() const { return box_; }
  double x(double value) const { return box_.x + value / x_top_ * box_.width; }
  double y(double value) const { return box_.bottom() - value / y_top_ * box_.height; }
  double x_top() const { return x_top_; }
  double y_top() const { return y_top_; }

  // Lines across, with numbers at the left.
  void draw_left(Svg& svg, const std::vector<Tick>& ticks) const;

  // The line at the bottom, with a small line and a number below for each tick.
  void draw_bottom(Svg& svg, const std::vector<Tick>& ticks, bool labels) const;

 private:
  Box box_;
  double x_top_;
  double y_top_;
};

// Steps of equal width, as the commands of a path.
class Steps {
 public:
  Steps(const Axes& axes, double step) : axes_(axes), step_(step) {}

  // The upper edge alone.
  std::string line(const std::vector<double>& values) const;
  // Down to the lower edge.
  std::string area(const std::vector<double>& upper, const std::vector<double>& lower) const;

 private:
  double left(size_t i) const;

  const Axes& axes_;
  double step_;
};

// Room at the left of a panel for the numbers, and below for those of the time.
inline constexpr double kLeftMargin = 86;
inline constexpr double kBottomMargin = 20;

// How many numbers have room.
size_t ticks_down(double height);
size_t ticks_across(double width);

}  // namespace heapledger
