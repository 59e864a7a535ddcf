#include "exporters/parquet_table.h"

#include <heapledger.h>

#include <algorithm>
#include <utility>

#include "exporters/parquet_encodings.h"
#include "exporters/parquet_format.h"
#include "exporters/parquet_thrift.h"
#include "text/text.h"

namespace heapledger {
namespace {

int32_t physical_type(ParquetType type) {
  switch (type) {
    case ParquetType::kNumber:
      return parquet::kInt64;
    case ParquetType::kReal:
      return parquet::kDouble;
    case ParquetType::kText:
      return parquet::kByteArray;
    case ParquetType::kId:
      break;
  }
  return parquet::kFixedBytes;
}

void put_column(ThriftWriter& to, const ParquetColumn& column) {
  to.begin_element();
  to.number32(1, physical_type(column.type));
  if (column.type == ParquetType::kId) to.number32(2, int32_t{kParquetIdBytes});
  to.number32(3, column.may_be_null ? parquet::kOptional : parquet::kRequired);
  to.text(4, column.name);
  if (column.type == ParquetType::kText) {
    to.number32(6, parquet::kUtf8);
    to.begin_struct(10);  // the newer logical types
    to.begin_struct(1);   // a text
    to.end();
    to.end();
  }
  to.end();
}

void put_bounds(ThriftWriter& to, const ParquetChunk& chunk) {
  to.begin_struct(12);
  to.number64(3, static_cast<int64_t>(chunk.nulls));
  if (chunk.most) to.text(5, *chunk.most);
  if (chunk.least) to.text(6, *chunk.least);
  to.end();
}

void put_chunk(ThriftWriter& to, const ParquetColumn& column, const ParquetChunk& chunk) {
  const uint64_t begin = chunk.dictionary_offset.value_or(chunk.data_offset);
  to.begin_element();
  to.number64(2, static_cast<int64_t>(begin));
  to.begin_struct(3);
  to.number32(1, physical_type(column.type));
  to.begin_numbers32(2, chunk.dictionary_offset ? 3 : 2);
  to.element(parquet::kRuns);
  to.element(chunk.encoding);
  if (chunk.dictionary_offset) to.element(parquet::kPlain);
  to.begin_texts(3, 1);
  to.element(std::string_view(column.name));
  to.number32(4, parquet::kZstd);
  to.number64(5, static_cast<int64_t>(chunk.values));
  to.number64(6, static_cast<int64_t>(chunk.plain_bytes));
  to.number64(7, static_cast<int64_t>(chunk.stored_bytes));
  to.number64(9, static_cast<int64_t>(chunk.data_offset));
  if (chunk.dictionary_offset) to.number64(11, static_cast<int64_t>(*chunk.dictionary_offset));
  put_bounds(to, chunk);
  to.end();
  to.end();
}

}  // namespace

ParquetTable::ParquetTable(PageWriter::Sink sink, std::vector<ParquetColumn> columns,
                           size_t rows_in_group)
    : columns_(std::move(columns)), pages_(std::move(sink)), rows_in_group_(rows_in_group) {
  for (const ParquetColumn& column : columns_) values_.emplace_back(column);
  pages_.write(parquet::kMagic);
}

ParquetTable& ParquetTable::number(uint64_t value) {
  values_[cell_++].add(value);
  return *this;
}

ParquetTable& ParquetTable::real(double value) {
  values_[cell_++].add(value);
  return *this;
}

ParquetTable& ParquetTable::text(std::string_view value) {
  values_[cell_++].add(std::string_view(as_utf8(value)));
  return *this;
}

ParquetTable& ParquetTable::id(std::string_view bytes) {
  values_[cell_++].add(bytes);
  return *this;
}

ParquetTable& ParquetTable::none() {
  values_[cell_++].add_null();
  return *this;
}

void ParquetTable::end_row() {
  cell_ = 0;
  const bool full = std::any_of(values_.begin(), values_.end(), [](const ParquetValues& one) {
    return one.text_bytes() >= kTextInGroup;
  });
  if (full || values_.front().size() >= rows_in_group_) end_group();
}

void ParquetTable::end_group() {
  Group group;
  group.rows = values_.front().size();
  group.offset = pages_.offset();
  for (ParquetValues& values : values_) group.chunks.push_back(values.write(pages_));
  rows_ += group.rows;
  groups_.push_back(std::move(group));
}

void ParquetTable::finish() {
  if (values_.front().size() > 0) end_group();
  std::string end = footer();
  append_plain(end, static_cast<uint32_t>(end.size()));
  pages_.write(end + parquet::kMagic);
}

std::string ParquetTable::footer() const {
  ThriftWriter to;
  to.number32(1, 2);  // the version of the format
  to.begin_structs(2, columns_.size() + 1);
  to.begin_element();  // the root of the schema
  to.text(4, "heapledger");
  to.number32(5, static_cast<int32_t>(columns_.size()));
  to.end();
  for (const ParquetColumn& column : columns_) put_column(to, column);
  to.number64(3, static_cast<int64_t>(rows_));
  to.begin_structs(4, groups_.size());
  for (const Group& group : groups_) {
    to.begin_element();
    to.begin_structs(1, columns_.size());
    uint64_t plain = 0, stored = 0;
    for (size_t i = 0; i < columns_.size(); ++i) {
      put_chunk(to, columns_[i], group.chunks[i]);
      plain += group.chunks[i].plain_bytes;
      stored += group.chunks[i].stored_bytes;
    }
    to.number64(2, static_cast<int64_t>(plain));
    to.number64(3, static_cast<int64_t>(group.rows));
    to.number64(5, static_cast<int64_t>(group.offset));
    to.number64(6, static_cast<int64_t>(stored));
    to.end();
  }
  to.text(6, "heapledger version " HEAPLEDGER_VERSION);
  to.begin_structs(7, columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) {
    to.begin_element();
    to.begin_struct(1);  // bounds are ordered as the type says
    to.end();
    to.end();
  }
  to.end();
  return to.bytes();
}

}  // namespace heapledger
