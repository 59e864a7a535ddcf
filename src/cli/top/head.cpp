#include "cli/top/head.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cli/top/table.h"
#include "text/text.h"

namespace heapledger::cli::top {
namespace {

uint64_t rate(uint64_t amount, uint64_t interval_ns) {
  double each = cores::per_second(static_cast<double>(amount), interval_ns);
  return static_cast<uint64_t>(std::llround(each));
}

int64_t growth_rate(int64_t growth, uint64_t interval_ns) {
  return std::llround(cores::per_second(static_cast<double>(growth), interval_ns));
}

// What the right end of the first line tells.
std::string pace(const TopReading& reading, const TopState& state) {
  if (!reading.ended.empty()) return "ENDED";
  if (state.paused) return "PAUSED";
  uint64_t interval = interval_for(state.interval_ns, reading.took_ns);
  std::string text = "every " + interval_text(interval);
  if (interval == state.interval_ns) return text;
  return text + ", as reading takes " + human_duration(reading.took_ns);
}

Line process_line(const TopReading& reading, const TopState& state, size_t width,
                  const Page& page) {
  Line line(page);
  line.put(fmt::format("{} ({})", escaped(reading.program), reading.pid), Look::kStrong);
  // Tenths of seconds would only flicker.
  uint64_t seconds = reading.elapsed_ns / 1'000'000'000;
  std::string up = seconds < 60 ? fmt::format("{} s", seconds) : human_duration(reading.elapsed_ns);
  line.put(fmt::format("  up {}  {}", up, counted(reading.threads, "thread")));
  if (reading.rss_bytes > 0) line.put("  RSS " + human_bytes(reading.rss_bytes));
  std::string right = pace(reading, state);
  if (line.columns() + 2 + columns_of(right) <= width) {
    if (page.cut)
      line.fill_to(width - columns_of(right));
    else
      line.put("  ");
    line.put(right, reading.ended.empty() && !state.paused ? Look::kFaint : Look::kStrong);
  }
  return line.fit(width);
}

Line heap_line(const TopReading& reading, size_t width, const Page& page) {
  const cores::Change& total = reading.total;
  Line line(page);
  line.put(reading.estimated ? "live about " : "live ");
  line.put(human_bytes(total.live_bytes), Look::kStrong);
  line.put(" in " + counted(total.live_blocks, "block"));
  if (reading.interval_ns > 0) {
    int64_t growing = growth_rate(total.growth, reading.interval_ns);
    line.put("  ").put(growth_text(growing) + "/s", growth_look(growing));
    if (reading.has_rates) {
      line.put(fmt::format("  allocating {}/s, {} calls/s",
                           human_bytes(rate(total.bytes, reading.interval_ns)),
                           with_commas(rate(total.calls, reading.interval_ns))));
    }
    line.put("  ").put(growth_text(total.growth_since_first),
                       growth_look(total.growth_since_first));
    line.put(" since top");
  }
  return line.fit(width);
}

// The whole heap over time: as many readings as there is room for.
Line curve_line(const TopReading& reading, size_t width, const Page& page) {
  const std::vector<uint64_t>& all = reading.total.history;
  Line line(page);
  line.put("heap ");
  const uint64_t least = all.empty() ? 0 : *std::min_element(all.begin(), all.end());
  const uint64_t most = all.empty() ? 0 : *std::max_element(all.begin(), all.end());
  const std::string range =
      least == most ? human_bytes(most) : human_bytes(least) + " to " + human_bytes(most);
  line.put(sparkline(all, all.size()), Look::kStrong);
  line.put("  " + range + (all.size() < 2 ? "" : fmt::format(" in {} readings", all.size())),
           Look::kFaint);
  return line.fit(width);
}

Line choice_line(const TopReading& reading, size_t rows, const TopState& state, size_t width,
                 const Page& page) {
  const TopChoice& choice = state.choice;
  Line line(page);
  line.put(fmt::format("{} by {}{}", counted(rows, name_of(choice.by)), row_of(choice.sort).title,
                       choice.reverse ? ", reversed" : ""),
           Look::kFaint);
  if (!choice.filter.empty()) {
    line.put("  only with ", Look::kFaint).put(quoted(choice.filter), Look::kStrong);
  }
  if (!reading.problem.empty()) line.put("  " + printable(reading.problem), Look::kStrong);
  return line.fit(width);
}

}  // namespace

std::vector<Line> top_head(const TopReading& reading, size_t rows, const TopState& state,
                           size_t width, const Page& page) {
  return {process_line(reading, state, width, page), heap_line(reading, width, page),
          curve_line(reading, width, page), choice_line(reading, rows, state, width, page)};
}

}  // namespace heapledger::cli::top
