#include "cli/top/screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/top/head.h"
#include "cli/top/table.h"
#include "text/text.h"

namespace heapledger::cli::top {
namespace {

constexpr size_t kPaperWidth = 10'000;  // where nothing has to be cut

constexpr std::array<std::pair<const char*, const char*>, 10> kHelp = {{
    {"q", "quit"},
    {"s < >", "sort by live bytes, growth, rate, blocks or name"},
    {"r", "the other way round"},
    {"/ f", "only stacks with a text in them; Esc: all again"},
    {"g", "sites or functions"},
    {"Up Down", "choose a row and see its stack; Enter: close, open"},
    {"PgUp PgDn", "a page of the stack, or of rows"},
    {"p Space", "pause"},
    {"+ -", "a longer or shorter interval"},
    {"h ?", "this, and back"},
}};

std::vector<Line> help_lines(ScreenSize size, const Page& page) {
  std::vector<Line> lines;
  for (const auto& [keys, meaning] : kHelp) {
    Line line(page);
    line.put(fmt::format(" {:<11}", keys), Look::kStrong).put(meaning);
    lines.push_back(line.fit(size.width));
  }
  return lines;
}

size_t place_of(const std::vector<TopRow>& rows, const std::string& key) {
  if (key.empty()) return rows.size();
  auto found =
      std::find_if(rows.begin(), rows.end(), [&key](const TopRow& row) { return row.key == key; });
  return static_cast<size_t>(found - rows.begin());
}

Line stack_title(const TopRow& row, size_t width, const Page& page) {
  std::string text = fmt::format("── {} in {}", human_bytes(row.change.live_bytes),
                                 counted(row.change.live_blocks, "block"));
  if (row.sites > 1) text += fmt::format("; the largest of {} sites", row.sites);
  text += " ";
  Line line(page);
  line.put(text, Look::kFaint);
  for (size_t i = line.columns(); i < width; ++i) line.put("─", Look::kFaint);
  return line.fit(width);
}

// The frames of a stack, in so many lines with the title.
std::vector<Line> stack_lines(const TopRow& row, TopState& state, size_t room, size_t width,
                              const Page& page) {
  std::vector<Line> lines{stack_title(row, width, page)};
  const std::vector<const NamedFrame*>& frames = row.stack->frames;
  size_t shown = std::min(room - 1, frames.size());
  state.first_frame = std::min(state.first_frame, frames.size() - shown);
  for (size_t i = state.first_frame; i < state.first_frame + shown; ++i) {
    bool more = i + 1 == state.first_frame + shown && i + 1 < frames.size();
    Line line(page);
    std::string number = fmt::format("{:>4}  ", i);
    line.put(more ? fmt::format("{:>4}… ", i) : number, Look::kFaint);
    line.put(frame_text(page, *frames[i], width > 8 ? width - 7 : 1),
             frames[i] == row.stack->blamed ? Look::kStrong : Look::kPlain);
    lines.push_back(line.fit(width));
  }
  if (frames.empty() && room > 1) lines.push_back(Line(page).put("      (no stack)"));
  return lines;
}

Line bottom_line(const TopReading& reading, const TopState& state, size_t width, const Page& page) {
  Line line(page);
  if (state.typing) {
    line.put("only with: ", Look::kStrong).put(escaped(state.choice.filter)).put("_");
    line.put("  Enter: done, Esc: all", Look::kFaint);
  } else if (!reading.ended.empty()) {
    line.put(reading.ended, Look::kStrong);
  } else {
    for (const char* text : {"q quit  ", "h help  ", "s sort  ", "r reverse  ", "/ filter  "}) {
      line.put(text);
    }
    line.put(state.choice.by == TopBy::kSite ? "g functions  " : "g sites  ");
    line.put(state.paused ? "p go on  " : "p pause  ").put("+- interval");
  }
  return line.fit(width);
}

// As many frames as there are, in no more than half of the room: rows are what it is about.
size_t stack_room(const TopRow& row, size_t room) {
  return std::min(std::max<size_t>(row.stack->frames.size(), 1) + 1, (room + 1) / 2);
}

}  // namespace

std::string interval_text(uint64_t ns) {
  if (ns < 1'000'000'000) return fmt::format("{} ms", ns / 1'000'000);
  return fmt::format("{:.3g} s", static_cast<double>(ns) / 1e9);
}

std::vector<Line> top_screen(const TopReading& reading, const std::vector<TopRow>& rows,
                             TopState& state, ScreenSize size, const Page& page) {
  std::vector<Line> lines;
  if (state.help) {
    lines = help_lines(size, page);
    lines.resize(size.height, Line(page));
    return lines;
  }
  lines = top_head(reading, rows.size(), state, size.width, page);
  TopTable table(reading, state.choice, size.width, page);
  lines.push_back(table.heading());
  size_t room = size.height > lines.size() + 1 ? size.height - lines.size() - 1 : 0;
  size_t chosen = place_of(rows, state.chosen);
  bool has_stack = state.stack && chosen < rows.size() && room >= 3;
  size_t below = has_stack ? stack_room(rows[chosen], room) : 0;
  size_t above = room - below;
  if (chosen < rows.size()) {
    if (chosen < state.first_row) state.first_row = chosen;
    if (chosen >= state.first_row + above) state.first_row = chosen + 1 - above;
  }
  state.first_row = std::min(state.first_row, rows.size() - std::min(rows.size(), above));
  size_t end = std::min(rows.size(), state.first_row + above);
  for (size_t i = state.first_row; i < end; ++i) lines.push_back(table.row(rows[i], i == chosen));
  lines.resize(size.height - 1 - below, Line(page));
  if (has_stack) {
    for (Line& line : stack_lines(rows[chosen], state, below, size.width, page)) {
      lines.push_back(std::move(line));
    }
  }
  lines.resize(size.height - 1, Line(page));
  lines.push_back(bottom_line(reading, state, size.width, page));
  return lines;
}

std::vector<Line> top_page(const TopReading& reading, const std::vector<TopRow>& rows,
                           const TopState& state, size_t most, const Page& page) {
  size_t width = page.cut ? page.width : kPaperWidth;
  std::vector<Line> lines = top_head(reading, rows.size(), state, width, page);
  TopTable table(reading, state.choice, width, page);
  lines.push_back(table.heading());
  for (size_t i = 0; i < std::min(rows.size(), most); ++i) {
    lines.push_back(table.row(rows[i], false));
  }
  if (rows.size() > most) {
    lines.push_back(
        Line(page).put(fmt::format("  … and {} more", with_commas(rows.size() - most))));
  }
  if (!reading.ended.empty()) lines.push_back(Line(page).put(reading.ended));
  return lines;
}

}  // namespace heapledger::cli::top
