#include "cli/top/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "text/text.h"

namespace heapledger::cli::top {
namespace {

constexpr size_t kMark = 2;          // "> " before the chosen row
constexpr size_t kLeastName = 14;    // room for names beside the two columns that are always there
constexpr size_t kEnoughName = 20;   // before there are any more
constexpr size_t kMuchName = 40;     // before there is the last of them
constexpr size_t kWideScreen = 150;  // from here on there is room for a longer history
constexpr size_t kShortHistory = 10;
constexpr size_t kLongHistory = cores::LiveChanges::kHistory;

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

uint64_t magnitude(int64_t value) {
  return value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

// A function and its place; of that only the file's own name where there is no room for more.
std::string name_and_place(const Page& page, const TopRow& row, size_t room) {
  if (page.cut && !row.file.empty()) {
    std::string name = escaped(row.name);
    std::string line = row.line > 0 ? ":" + std::to_string(row.line) : "";
    for (const std::string& file : {short_path(row.file), base_name(row.file)}) {
      std::string text = fmt::format("{}  {}{}", name, escaped(file), line);
      if (columns_of(text) <= room) return text;
    }
    // A name that people look for stays whole, with the end of its place.
    constexpr size_t kLeastPlace = 6;
    const std::string place = escaped(base_name(row.file)) + line;
    const size_t taken = columns_of(name) + 2;
    if (taken + kLeastPlace <= room && place.size() > room - taken) {
      size_t begin = place.size() - (room - taken - 1);
      while (begin < place.size() && (static_cast<unsigned char>(place[begin]) & 0xC0) == 0x80) {
        ++begin;
      }
      return name + "  …" + place.substr(begin);
    }
  }
  return function_text(page, row.name, row.file, row.line, room);
}

std::string rate_of(uint64_t amount, uint64_t interval_ns, bool bytes) {
  auto rate = static_cast<uint64_t>(
      std::llround(cores::per_second(static_cast<double>(amount), interval_ns)));
  return bytes ? human_bytes(rate) : with_commas(rate);
}

}  // namespace

std::string growth_text(int64_t bytes) {
  if (bytes == 0) return "0 B";
  return (bytes > 0 ? "▲+" : "▼-") + human_bytes(magnitude(bytes));
}

Look growth_look(int64_t bytes) {
  if (bytes == 0) return Look::kFaint;
  return bytes > 0 ? Look::kGrows : Look::kShrinks;
}

std::string sparkline(std::span<const uint64_t> values, size_t width) {
  constexpr std::array<const char*, 9> kSigns = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (values.size() > width) values = values.last(width);
  const double most = values.empty() ? 0 : static_cast<double>(*std::ranges::max_element(values));
  const double least = values.empty() ? 0 : static_cast<double>(*std::ranges::min_element(values));
  // From the least to the most, or changes of a large heap would not be seen; but what changes by
  // less than a tenth is not made to look like much.
  const double span = std::max(most - least, most / 10);
  std::string text(width - values.size(), ' ');
  for (uint64_t value : values) {
    const double share = span == 0 ? 0 : (static_cast<double>(value) - (most - span)) / span;
    text += kSigns[value == 0 ? 0 : static_cast<size_t>(std::lround(share * 7)) + 1];
  }
  return text;
}

TopTable::TopTable(const TopReading& reading, const TopChoice& choice, size_t width,
                   const Page& page)
    : reading_(reading), choice_(choice), width_(width), page_(page) {
  // By what is missed most when it is not there.
  constexpr std::array kWanted = {Column::kLive,    Column::kGrowth, Column::kShare,
                                  Column::kHistory, Column::kSince,  Column::kRate,
                                  Column::kBlocks,  Column::kCalls};
  size_t used = kMark;
  for (size_t i = 0; i < kWanted.size(); ++i) {
    size_t more = width_of(kWanted[i]) + 1;
    size_t name = i < 2 ? kLeastName : kWanted[i] == Column::kCalls ? kMuchName : kEnoughName;
    if (used + more + name > width) break;
    used += more;
    columns_.push_back(kWanted[i]);
  }
  std::sort(columns_.begin(), columns_.end());
  name_room_ = width > used + 1 ? width - used - 1 : 1;
}

size_t TopTable::width_of(Column column) const {
  switch (column) {
    case Column::kLive:
    case Column::kRate:
      return 10;
    case Column::kShare:
      return 6;
    case Column::kBlocks:
    case Column::kCalls:
      return 9;
    case Column::kGrowth:
    case Column::kSince:
      return 12;
    case Column::kHistory:
      return width_ >= kWideScreen ? kLongHistory : kShortHistory;
  }
  return 0;
}

const char* TopTable::title_of(Column column) const {
  switch (column) {
    case Column::kLive:
      return "LIVE";
    case Column::kShare:
      return "SHARE";
    case Column::kBlocks:
      return "BLOCKS";
    case Column::kGrowth:
      return "GROWTH";
    case Column::kSince:
      return "SINCE TOP";
    case Column::kRate:
      return "ALLOC/S";
    case Column::kCalls:
      return "CALLS/S";
    case Column::kHistory:
      return "HISTORY";
  }
  return "";
}

Line TopTable::heading() const {
  Line line(page_);
  line.put(std::string(kMark, ' '), Look::kHeading);
  for (Column column : columns_) {
    std::string title = title_of(column);
    std::string space(width_of(column) - title.size(), ' ');
    // A history is read from the left like a text.
    line.put(column == Column::kHistory ? title + space + " " : space + title + " ",
             Look::kHeading);
  }
  line.put(choice_.by == TopBy::kSite ? " WHERE" : " FUNCTION", Look::kHeading);
  if (page_.cut && line.columns() < width_) {
    line.put(std::string(width_ - line.columns(), ' '), Look::kHeading);
  }
  return line.fit(width_);
}

Line TopTable::row(const TopRow& row, bool chosen) const {
  Line line(page_);
  line.put(chosen ? "> " : "  ");
  for (Column column : columns_) {
    put_cell(line, column, row.change);
    line.put(" ");
  }
  line.put(" " + name_and_place(page_, row, name_room_ - 1));
  line.fit(width_);
  if (chosen) line.fill_to(width_).choose();
  return line;
}

void TopTable::put_cell(Line& line, Column column, const cores::Change& change) const {
  size_t width = width_of(column);
  switch (column) {
    case Column::kLive:
      line.put_right(human_bytes(change.live_bytes), width, Look::kStrong);
      break;
    case Column::kShare:
      line.put_right(percent(change.live_bytes, reading_.total.live_bytes), width);
      break;
    case Column::kBlocks:
      line.put_right(with_commas(change.live_blocks), width);
      break;
    case Column::kGrowth:
      put_growth(line, column, change.growth);
      break;
    case Column::kSince:
      put_growth(line, column, change.growth_since_first);
      break;
    case Column::kRate:
    case Column::kCalls: {
      bool bytes = column == Column::kRate;
      uint64_t amount = bytes ? change.bytes : change.calls;
      std::string text = "-";
      if (reading_.has_rates) text = rate_of(amount, reading_.interval_ns, bytes);
      line.put_right(text, width, amount == 0 ? Look::kFaint : Look::kPlain);
      break;
    }
    case Column::kHistory:
      line.put(sparkline(change.history, width));
      break;
  }
}

void TopTable::put_growth(Line& line, Column column, int64_t growth) const {
  bool known = reading_.interval_ns > 0;  // there was a reading before
  line.put_right(known ? growth_text(growth) : "-", width_of(column),
                 known ? growth_look(growth) : Look::kFaint);
}

}  // namespace heapledger::cli::top
