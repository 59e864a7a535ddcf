// Figures that follow from others: by hand.
#include <gtest/gtest.h>

#include "analyzer/query/figures.h"

namespace heapledger {
namespace {

TEST(DerivedFigures, TheSizeOfALiveBlockIsNotThatOfACall) {
  Figures figures;
  figures.calls = 100;  // of 10 bytes, and one of 4,000 …
  figures.bytes = 4990;
  figures.live_blocks = 4;  // … that is left, with three small ones
  figures.live_bytes = 4030;
  EXPECT_EQ(value_of(figures, parse_measure("size")), 49u);
  EXPECT_EQ(value_of(figures, parse_measure("live-size")), 1007u);
}

TEST(DerivedFigures, WithoutLiveBlocksTheirSizeIsNotKnown) {
  Figures figures;
  figures.calls = 3;
  figures.bytes = 30;
  EXPECT_FALSE(is_known(figures, parse_measure("live-size")));
  EXPECT_EQ(value_of(figures, parse_measure("live-size")), 0u);
  figures.live_blocks = 1;
  EXPECT_TRUE(is_known(figures, parse_measure("live-size")));
}

}  // namespace
}  // namespace heapledger
