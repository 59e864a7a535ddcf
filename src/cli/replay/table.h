// A table with a name at the left of each row, and the best figure of each column in bold.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/pages/page.h"

namespace heapledger::cli::replay {

struct TableCell {
  std::string text;
  std::optional<double> value;  // to be compared with others of its column; none: it is not
};

struct TableColumn {
  std::string title;
  bool more_is_better = false;
};

class Table {
 public:
  Table(std::string title, std::vector<TableColumn> columns)
      : title_(std::move(title)), columns_(std::move(columns)) {}

  // As many cells as there are columns; or one that stands for the whole row.
  void add(std::string name, std::vector<TableCell> cells);

  // Where the page is too narrow, further columns come below.
  void put(Buffer& to, const Page& page) const;

 private:
  struct Row {
    std::string name;
    std::vector<TableCell> cells;
  };

  bool is_whole(const Row& row) const { return row.cells.size() != columns_.size(); }
  std::vector<std::optional<double>> best_values() const;
  std::vector<size_t> widths() const;
  size_t name_width() const;

  // As many columns as stand side by side.
  struct Part {
    size_t from;
    size_t to;
    size_t names;  // width
    std::vector<size_t> widths;
    std::vector<std::optional<double>> best;
  };
  std::string line_of(const Row& row, const Part& part, const Page& page) const;

  std::string title_;
  std::vector<TableColumn> columns_;
  std::vector<Row> rows_;
};

}  // namespace heapledger::cli::replay
