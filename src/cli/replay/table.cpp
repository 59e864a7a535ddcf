#include "cli/replay/table.h"

#include <algorithm>
#include <utility>

namespace heapledger::cli::replay {
namespace {

constexpr size_t kLeastName = 10;

std::string right(const std::string& text, size_t width) {
  const size_t shown = shown_width(text);
  return std::string(width > shown ? width - shown : 0, ' ') + text;
}

std::string left(const std::string& text, size_t width) {
  const size_t shown = shown_width(text);
  return text + std::string(width > shown ? width - shown : 0, ' ');
}

std::string without_end(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace

void Table::add(std::string name, std::vector<TableCell> cells) {
  rows_.push_back({std::move(name), std::move(cells)});
}

std::vector<std::optional<double>> Table::best_values() const {
  std::vector<std::optional<double>> best(columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t values = 0;
    for (const Row& row : rows_) {
      if (is_whole(row) || !row.cells[i].value) continue;
      ++values;
      const double value = *row.cells[i].value;
      const bool better =
          !best[i] || (columns_[i].more_is_better ? value > *best[i] : value < *best[i]);
      if (better) best[i] = value;
    }
    if (values < 2) best[i].reset();  // nobody to be better than
  }
  return best;
}

std::vector<size_t> Table::widths() const {
  std::vector<size_t> all;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = shown_width(columns_[i].title);
    for (const Row& row : rows_) {
      if (!is_whole(row)) width = std::max(width, shown_width(row.cells[i].text));
    }
    all.push_back(width + 2);
  }
  return all;
}

size_t Table::name_width() const {
  size_t width = shown_width(title_);
  for (const Row& row : rows_) width = std::max(width, shown_width(row.name) + 2);
  return width;
}

std::string Table::line_of(const Row& row, const Part& part, const Page& page) const {
  std::string line = left("  " + cut_text(row.name, part.names - 2), part.names);
  if (is_whole(row)) {
    return part.from > 0 ? "" : line + "  " + page.style.warning(row.cells.front().text) + "\n";
  }
  for (size_t i = part.from; i < part.to; ++i) {
    const TableCell& cell = row.cells[i];
    const std::string padded = right(cell.text, part.widths[i]);
    const bool is_best = part.best[i] && cell.value && *cell.value == *part.best[i];
    line += padded.substr(0, padded.size() - cell.text.size()) +
            (is_best ? page.style.bold(cell.text) : cell.text);
  }
  return without_end(line) + "\n";
}

void Table::put(Buffer& to, const Page& page) const {
  Part part{0, 0, name_width(), widths(), best_values()};
  const size_t widest = *std::max_element(part.widths.begin(), part.widths.end());
  if (page.cut && part.names + widest > page.width) {
    part.names = std::max(page.width > widest ? page.width - widest : 0, kLeastName);
  }
  std::string text;
  while (part.to < columns_.size()) {
    part.from = part.to;
    std::string head = left(cut_text(title_, part.names), part.names);
    do {
      head += right(columns_[part.to].title, part.widths[part.to]);
      ++part.to;
    } while (part.to < columns_.size() &&
             (!page.cut || shown_width(head) + part.widths[part.to] <= page.width));
    text += (part.from > 0 ? "\n" : "") + page.style.dim(without_end(head)) + "\n";
    for (const Row& row : rows_) text += line_of(row, part, page);
  }
  cli::put(to, "{}", page.cut ? clipped(text, page.width) : text);
}

}  // namespace heapledger::cli::replay
