// A table as a Parquet file (github.com/apache/parquet-format): cells are given row by row, and
// written column by column, a row group at a time. Every column has its least and its most in each
// row group, so that readers can skip groups. Texts are made valid UTF-8 on the way.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/parquet_column.h"

namespace heapledger {

class ParquetTable {
 public:
  static constexpr size_t kRowsInGroup = size_t{1} << 17;
  static constexpr size_t kTextInGroup = size_t{64} << 20;  // bytes of one column

  ParquetTable(PageWriter::Sink sink, std::vector<ParquetColumn> columns,
               size_t rows_in_group = kRowsInGroup);

  // Cells in the order of the columns.
  ParquetTable& number(uint64_t value);
  ParquetTable& real(double value);
  ParquetTable& text(std::string_view value);
  ParquetTable& id(std::string_view bytes);
  ParquetTable& none();
  ParquetTable& number_or_none(bool known, uint64_t value) {
    return known ? number(value) : none();
  }
  ParquetTable& text_or_none(std::string_view value) {
    return value.empty() ? none() : text(value);
  }
  void end_row();

  // All rows are there: the last group and the footer are written.
  void finish();

 private:
  struct Group {
    std::vector<ParquetChunk> chunks;
    uint64_t rows = 0;
    uint64_t offset = 0;
  };

  void end_group();
  std::string footer() const;

  std::vector<ParquetColumn> columns_;
  std::deque<ParquetValues> values_;  // by column
  PageWriter pages_;
  size_t rows_in_group_;
  size_t cell_ = 0;  // the next one of the row
  uint64_t rows_ = 0;
  std::vector<Group> groups_;
};

}  // namespace heapledger
