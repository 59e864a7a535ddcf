#include "cli/report/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "cli/pages/page.h"
#include "text/text.h"

namespace heapledger::cli::report {
namespace {

constexpr size_t kLabel = 10;
constexpr std::array<const char*, 9> kEighths = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr uint64_t kMostAbove = 4;  // resident memory is drawn up to so many times the peak

struct Column {
  uint64_t live = 0;
  uint64_t rss = 0;
};

// The most in the part of the time that each column stands for.
std::vector<Column> columns_of(const Overview& overview, size_t count) {
  std::vector<Column> columns(count);
  const Series& series = overview.series;
  double total = static_cast<double>(std::max<uint64_t>(overview.duration_ns, 1));
  double per_bucket = static_cast<double>(series.width_ns) / total * static_cast<double>(count);
  for (size_t i = 0; i < series.buckets.size(); ++i) {
    auto first = static_cast<size_t>(static_cast<double>(i) * per_bucket);
    auto last = static_cast<size_t>(static_cast<double>(i + 1) * per_bucket - 1e-6);
    for (size_t at = std::min(first, count - 1); at <= std::min(last, count - 1); ++at) {
      columns[at].live = std::max(columns[at].live, series.buckets[i].max_bytes);
      columns[at].rss = std::max(columns[at].rss, series.buckets[i].max_rss);
    }
  }
  return columns;
}

// Eighths of a row, `rows` rows for `top`; something is never nothing.
size_t eighths(uint64_t value, uint64_t top, size_t rows) {
  if (value == 0) return 0;
  double share = static_cast<double>(value) / static_cast<double>(top);
  auto parts = static_cast<size_t>(std::lround(share * static_cast<double>(rows * 8)));
  return std::clamp<size_t>(parts, 1, rows * 8);
}

const char* cell(const Column& column, uint64_t top, size_t row, size_t rows) {
  size_t below = row * 8;
  size_t live = eighths(column.live, top, rows);
  size_t filled = live > below ? std::min<size_t>(live - below, 8) : 0;
  if (column.rss > 0 && column.rss <= top) {
    size_t rss_row = (eighths(column.rss, top, rows) - 1) / 8;
    if (rss_row == row && filled < 8) return "•";
  }
  return kEighths[filled];
}

// Below the axis: where the peak was.
std::string peak_line(const Overview& overview, size_t count) {
  double total = static_cast<double>(std::max<uint64_t>(overview.duration_ns, 1));
  auto at = static_cast<size_t>(static_cast<double>(overview.peak_time_ns) / total *
                                static_cast<double>(count));
  at = std::min(at, count - 1);
  std::string text = fmt::format("peak {} at {}", human_bytes(overview.totals.peak_bytes),
                                 human_duration(overview.peak_time_ns));
  if (at + 2 + text.size() <= count || text.size() + 1 > at) {
    return std::string(at, ' ') + "▲ " + text;
  }
  return std::string(at - text.size() - 1, ' ') + text + " ▲";
}

std::string axis_line(const Overview& overview, size_t count) {
  std::string end = human_duration(overview.duration_ns);
  size_t gap = count > end.size() + 3 ? count - end.size() - 3 : 1;
  return "0 s" + std::string(gap, ' ') + end;
}

std::string legend(const Overview& overview, bool drawn) {
  if (overview.rss_peak_bytes == 0) return "";
  std::string peak = human_bytes(overview.rss_peak_bytes);
  if (drawn) return "█ live bytes, • resident memory (RSS, up to " + peak + ")";
  return "█ live bytes; resident memory (RSS, up to " + peak + ") is beyond the scale";
}

}  // namespace

std::string draw_timeline(const Overview& overview, size_t width, size_t height) {
  uint64_t peak = overview.totals.peak_bytes;
  if (peak == 0 || overview.series.buckets.empty() || width < kLabel + 12 || height == 0) return "";
  size_t count = width - kLabel - 3;
  std::vector<Column> columns = columns_of(overview, count);
  uint64_t rss = 0;
  for (const Column& column : columns) rss = std::max(rss, column.rss);
  bool with_rss = rss > 0 && rss / kMostAbove <= peak;
  uint64_t top = with_rss ? std::max(peak, rss) : peak;
  std::string text;
  for (size_t row = height; row-- > 0;) {
    std::string label = row + 1 == height ? human_bytes(top) : "";
    if (row == 0) label = "0 B";
    if (height >= 6 && row + 1 == height / 2) label = human_bytes(top / height * (row + 1));
    std::string line = fmt::format("{:>{}} {}", label, kLabel, label.empty() ? "│" : "┤");
    for (const Column& column : columns) line += cell(column, top, row, height);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  std::string indent(kLabel + 2, ' ');
  text += indent + peak_line(overview, count) + "\n" + indent + axis_line(overview, count) + "\n";
  std::string below = legend(overview, with_rss);
  bool fits = indent.size() + shown_width(below) <= width;
  if (!below.empty()) text += (fits ? indent : "") + below + "\n";
  return text;
}

}  // namespace heapledger::cli::report
