// Axes: round numbers, one unit for all of an axis; and the texts and paths that pictures are made
// of.
#include <gtest/gtest.h>

#include "plots/axes.h"
#include "plots/cells.h"
#include "plots/svg.h"
#include "plots/ticks.h"

namespace heapledger {
namespace {

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> texts;
  for (const Tick& tick : ticks) texts.push_back(tick.label);
  return texts;
}
using Labels = std::vector<std::string>;

TEST(Ticks, StepsAreOneTwoOrFive) {
  EXPECT_DOUBLE_EQ(round_step(10, 10), 1);
  EXPECT_DOUBLE_EQ(round_step(11, 10), 2);
  EXPECT_DOUBLE_EQ(round_step(30, 10), 5);
  EXPECT_DOUBLE_EQ(round_step(51, 10), 10);
  EXPECT_DOUBLE_EQ(round_step(0.3, 3), 0.1);
  EXPECT_DOUBLE_EQ(round_step(0, 5), 1);
}

TEST(Ticks, BytesAreInTheUnitOfTheTop) {
  EXPECT_EQ(labels(byte_ticks(1.5 * 1024 * 1024, 4)), (Labels{"0", "0.5 MiB", "1 MiB", "1.5 MiB"}));
  EXPECT_EQ(labels(byte_ticks(1000, 5)),
            (Labels{"0", "200 B", "400 B", "600 B", "800 B", "1000 B"}));
  EXPECT_EQ(labels(byte_ticks(2.2, 5, "/s")), (Labels{"0", "1 B/s", "2 B/s"}));
  // Two steps at most would be one of 5 MiB, which is beyond the top: four of 2 MiB instead.
  EXPECT_EQ(labels(byte_ticks(4.5 * 0x1p20, 2)), (Labels{"0", "2 MiB", "4 MiB"}));
  EXPECT_DOUBLE_EQ(byte_ticks(3 * 0x1p30, 3).back().value, 3 * 0x1p30);
}

TEST(Ticks, TimesAndCounts) {
  EXPECT_EQ(labels(time_ticks(4.2e6, 5)), (Labels{"0", "1 ms", "2 ms", "3 ms", "4 ms"}));
  EXPECT_EQ(labels(time_ticks(100e9, 5)), (Labels{"0", "20 s", "40 s", "60 s", "80 s", "100 s"}));
  EXPECT_EQ(labels(time_ticks(600e9, 5)),
            (Labels{"0", "2 min", "4 min", "6 min", "8 min", "10 min"}));
  EXPECT_EQ(labels(count_ticks(5000, 2)), (Labels{"0", "5000"}));
  EXPECT_EQ(labels(count_ticks(45000, 5, "/s")), (Labels{"0", "10k/s", "20k/s", "30k/s", "40k/s"}));
  EXPECT_EQ(labels(count_ticks(3, 8)), (Labels{"0", "1", "2", "3"}));
}

TEST(Axes, ValuesHaveTheirPlaces) {
  Axes axes({100, 50, 200, 80}, 1000, 40);
  EXPECT_DOUBLE_EQ(axes.x(0), 100);
  EXPECT_DOUBLE_EQ(axes.x(500), 200);
  EXPECT_DOUBLE_EQ(axes.y(0), 130);
  EXPECT_DOUBLE_EQ(axes.y(10), 110);
}

TEST(Steps, EqualNeighboursAreOneStep) {
  Axes axes({0, 0, 30, 10}, 30, 10);
  Steps steps(axes, 10);
  EXPECT_EQ(steps.line({5, 5, 2}), "M0 5H20V8H30");
  EXPECT_EQ(steps.area({5, 5, 2}, {0, 1, 1}), "M0 5H20V8H30V9H10V10H0Z");
  // A last step that the time ends in is cut, and one beyond it is not there.
  EXPECT_EQ(steps.line({1, 2, 3, 4}), "M0 9H10V8H20V7H30");
  EXPECT_EQ(steps.area({1, 2, 3, 4}, {0, 0, 0, 0}), "M0 9H10V8H20V7H30V10H0Z");
}

TEST(Cells, LevelsAreEighths) {
  EXPECT_EQ(level_of(0, 64), 0u);
  EXPECT_EQ(level_of(1, 64), 1u);
  EXPECT_EQ(level_of(8, 64), 1u);
  EXPECT_EQ(level_of(9, 64), 2u);
  EXPECT_EQ(level_of(64, 64), 8u);
  EXPECT_EQ(level_of(1000, 64), 8u);
}

TEST(Svg, NamesAreHarmlessAndShort) {
  Svg svg(100, 50, Scheme::kLight);
  svg.text(1, 2, "a<b> & \"c\"\x1b\xff", "x");
  std::string text = svg.finish();
  EXPECT_NE(text.find(">a&lt;b&gt; &amp; &quot;c&quot;\\x1b\\xff</text>"), std::string::npos);
  EXPECT_EQ(short_name("a\nb", 10), "a\\nb");
  EXPECT_EQ(short_name(std::string(10000, 'x'), 4), "xxx…");
}

TEST(Svg, OnlyAutoIsLightAndDark) {
  EXPECT_NE(style_sheet(Scheme::kAuto).find("prefers-color-scheme"), std::string::npos);
  EXPECT_EQ(style_sheet(Scheme::kLight).find("prefers-color-scheme"), std::string::npos);
  EXPECT_NE(style_sheet(Scheme::kLight), style_sheet(Scheme::kDark));
}

}  // namespace
}  // namespace heapledger
