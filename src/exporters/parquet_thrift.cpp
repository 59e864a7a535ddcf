#include "exporters/parquet_thrift.h"

namespace heapledger {

void append_varint(std::string& to, uint64_t value) {
  while (value >= 0x80) {
    to += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  to += static_cast<char>(value);
}

void ThriftWriter::begin_field(int field, Type type) {
  constexpr int kMostInOneByte = 15;
  const int step = field - last_fields_.back();
  if (step > 0 && step <= kMostInOneByte) {
    bytes_ += static_cast<char>(step << 4 | type);
  } else {
    bytes_ += static_cast<char>(type);
    append_varint(bytes_, zigzag(field));
  }
  last_fields_.back() = field;
}

void ThriftWriter::number(int field, Type type, int64_t value) {
  begin_field(field, type);
  append_varint(bytes_, zigzag(value));
}

void ThriftWriter::text(int field, std::string_view value) {
  begin_field(field, kBinary);
  element(value);
}

void ThriftWriter::element(std::string_view value) {
  append_varint(bytes_, value.size());
  bytes_ += value;
}

void ThriftWriter::begin_struct(int field) {
  begin_field(field, kStruct);
  begin_element();
}

void ThriftWriter::end() {
  bytes_ += '\0';
  last_fields_.pop_back();
}

void ThriftWriter::begin_list(int field, Type type, size_t count) {
  constexpr size_t kMostInOneByte = 14;
  begin_field(field, kList);
  if (count <= kMostInOneByte) {
    bytes_ += static_cast<char>(count << 4 | type);
  } else {
    bytes_ += static_cast<char>(0xF0 | type);
    append_varint(bytes_, count);
  }
}

}  // namespace heapledger
