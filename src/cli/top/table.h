// The table of `heapledger top`: as many columns as there is room for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/top/rows.h"
#include "cli/top/screen_line.h"

namespace heapledger::cli::top {

class TopTable {
 public:
  TopTable(const TopReading& reading, const TopChoice& choice, size_t width, const Page& page);

  Line heading() const;
  Line row(const TopRow& row, bool chosen) const;

 private:
  enum class Column { kLive, kShare, kBlocks, kGrowth, kSince, kRate, kCalls, kHistory };

  size_t width_of(Column column) const;
  const char* title_of(Column column) const;
  void put_cell(Line& line, Column column, const cores::Change& change) const;
  void put_growth(Line& line, Column column, int64_t growth) const;

  const TopReading& reading_;
  const TopChoice& choice_;
  size_t width_;
  const Page& page_;
  std::vector<Column> columns_;  // from left to right
  size_t name_room_ = 0;
};

// "▲+1.2 MiB", "▼-5 B", "0 B": with a sign, so that no colour is needed.
std::string growth_text(int64_t bytes);
Look growth_look(int64_t bytes);

// Eight heights, from nothing to the most of them.
std::string sparkline(std::span<const uint64_t> values, size_t width);

}  // namespace heapledger::cli::top
