// A table as text, cell by cell: TSV, CSV or JSON. Rows go out as they come, so that a table may
// have more of them than memory. Texts are made harmless here, each form in its own way: see
// docs/exports.md.
#pragma once

#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/output.h"

namespace heapledger {

enum class TableForm { kTsv, kCsv, kJson };

class TableWriter {
 public:
  TableWriter(TableForm form, Output& output, std::span<const std::string_view> columns);

  TableForm form() const { return form_; }

  // Before the rows: the names of the columns. `about` is for JSON alone, members of its outermost
  // object without the braces.
  void begin(std::string_view about);
  // After the rows.
  void end();

  // The cells of a row, as many as there are columns.
  void number(uint64_t value) { digits(value, 10); }
  void real(double value);
  void text(std::string_view value) { prepared(prepare(value)); }
  void none() { prepared(form_ == TableForm::kJson ? "null" : ""); }

  // In hexadecimal, of JSON a text; 0 is none.
  void address(uint64_t value) {
    if (value == 0) return none();
    row_ += prefixes_[cell_++];
    row_ += form_ == TableForm::kJson ? "\"0x" : "0x";
    append(value, 16);
    if (form_ == TableForm::kJson) row_ += '"';
  }

  // The text of a cell that comes again and again, and such a cell. JSON: any value.
  std::string prepare(std::string_view value) const;
  void prepared(std::string_view cell) {
    row_ += prefixes_[cell_++];
    row_ += cell;
  }

  void end_row() {
    row_ += row_end_;
    output_.write(row_);
    row_ = row_begin_;
    cell_ = 0;
    ++rows_;
  }

  uint64_t rows() const { return rows_; }

 private:
  void digits(uint64_t value, int base) {
    row_ += prefixes_[cell_++];
    append(value, base);
  }
  void append(uint64_t value, int base) {
    char buffer[24];
    row_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value, base).ptr);
  }

  TableForm form_;
  Output& output_;
  std::vector<std::string> names_;
  std::vector<std::string> prefixes_;  // of each cell: what parts it from the one before
  std::string row_begin_;              // of all rows but the first
  std::string row_end_;
  std::string row_;
  size_t cell_ = 0;
  uint64_t rows_ = 0;
};

}  // namespace heapledger
