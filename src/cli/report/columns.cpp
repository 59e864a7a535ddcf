#include "cli/report/columns.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "cli/pages/sampling.h"

namespace heapledger::cli::report {
std::string measure_text(const Figures& figures, Measure measure) {
  const FigureRow& row = row_of(measure);
  uint64_t value = value_of(figures, measure);
  if (!is_known(figures, measure))
    return row.unit == FigureUnit::kNanoseconds ? "never freed" : "?";
  std::string text = row.unit == FigureUnit::kBytes   ? human_bytes(value)
                     : row.unit == FigureUnit::kCount ? with_commas(value)
                                                      : human_duration(value);
  return row.error != nullptr ? with_error(text, value, figures.*row.error) : text;
}

std::string measure_title(Measure measure) {
  return std::string(row_of(measure).title);
}

FigureColumns::FigureColumns(const Question& question, const Figures& totals, bool overlapping,
                             Known known) {
  Measure sort = question.sort;
  add_measure(sort);
  if (adds_up(sort)) {
    add_column("share", [sort, whole = value_of(totals, sort)](const Figures& all, const Figures&) {
      return percent(value_of(all, sort), whole);
    });
  }
  if (overlapping && sort != Measure::kPeakBytes) {
    add_column("itself",
               [sort](const Figures&, const Figures& self) { return measure_text(self, sort); });
  }
  constexpr std::array kOthers = {Measure::kLiveBytes, Measure::kLiveBlocks, Measure::kCalls,
                                  Measure::kBytes, Measure::kTemporaryCalls};
  size_t others = kOthers.size();
  if (known == Known::kSums) others = 4;
  if (known == Known::kLive) others = 2;
  for (size_t i = 0; i < others; ++i) {
    if (kOthers[i] != sort) add_measure(kOthers[i]);
  }
  if (totals.has_time && sort != Measure::kTime) add_measure(Measure::kTime);
  if (question.between && sort != Measure::kEndedBytes) add_measure(Measure::kEndedBytes);
  bool has_peaks =
      !overlapping && question.tree == TreeShape::kNone && totals.has_peak && known != Known::kLive;
  if (has_peaks && sort != Measure::kPeakBytes) {
    add_measure(Measure::kPeakBytes);
  }
}

void FigureColumns::add_measure(Measure measure) {
  add_column(measure_title(measure),
             [measure](const Figures& all, const Figures&) { return measure_text(all, measure); });
}

void FigureColumns::add_column(
    const std::string& title,
    std::function<std::string(const Figures& all, const Figures& self)> text) {
  columns_.push_back({title, std::move(text), title.size(), {}});
}

void FigureColumns::add(const Figures& all, const Figures& self) {
  for (Column& column : columns_) {
    column.cells.push_back(column.text(all, self));
    column.width = std::max(column.width, shown_width(column.cells.back()));
  }
}

size_t FigureColumns::used() const {
  return std::accumulate(columns_.begin(), columns_.end(), size_t{2},
                         [](size_t sum, const Column& column) { return sum + column.width + 2; });
}

size_t FigureColumns::room(const Page& page) const {
  constexpr size_t kLeast = 16;
  return page.width > used() + kLeast ? page.width - used() : kLeast;
}

void FigureColumns::fit(const Page& page, size_t least_room) {
  while (columns_.size() > 2 && used() + least_room > page.width) columns_.pop_back();
}

std::string FigureColumns::heading() const {
  std::string text;
  for (const Column& column : columns_) text += fmt::format("  {:>{}}", column.title, column.width);
  return text + "  ";
}

std::string FigureColumns::line(size_t row) const {
  std::string text;
  for (const Column& column : columns_) {
    text += fmt::format("  {:>{}}", column.cells[row], column.width);
  }
  return text + "  ";
}

}  // namespace heapledger::cli::report
