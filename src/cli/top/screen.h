// One screen of `heapledger top`, as lines: a head with the figures of the whole heap, the table,
// the stack of the chosen row, and what can be done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/top/rows.h"
#include "cli/top/screen_line.h"

namespace heapledger::cli::top {

// What the user has chosen so far, and where the screen is in lists that are longer than it.
struct TopState {
  TopChoice choice;
  uint64_t interval_ns = 1'000'000'000;
  bool paused = false;
  bool help = false;
  bool typing = false;  // the filter
  std::string chosen;   // the key of a row; empty: none
  bool stack = false;   // of the chosen row is shown
  size_t first_row = 0;
  size_t first_frame = 0;
};

struct ScreenSize {
  size_t width = 80;
  size_t height = 24;
};

// `rows` are those of top_rows(). Exactly as many lines as the screen has, none wider; scrolls
// `state` so that the chosen row is seen.
std::vector<Line> top_screen(const TopReading& reading, const std::vector<TopRow>& rows,
                             TopState& state, ScreenSize size, const Page& page);

// The same for paper: head and table, `most` rows of it.
std::vector<Line> top_page(const TopReading& reading, const std::vector<TopRow>& rows,
                           const TopState& state, size_t most, const Page& page);

// "500 ms", "1 s", "2.5 s"
std::string interval_text(uint64_t ns);

}  // namespace heapledger::cli::top
