// Thrift's compact protocol, as far as the headers and the footer of a Parquet file need it. Fields
// are written in the order of their numbers; a struct ends with end().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heapledger {

void append_varint(std::string& to, uint64_t value);
inline uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}

class ThriftWriter {
 public:
  // The outermost struct has begun.
  ThriftWriter() = default;

  void number32(int field, int32_t value) { number(field, kI32, value); }
  void number64(int field, int64_t value) { number(field, kI64, value); }
  void truth(int field, bool value) { begin_field(field, value ? kTrue : kFalse); }
  void text(int field, std::string_view value);
  void begin_struct(int field);
  void end();

  // So many elements follow, each with its own call below.
  void begin_numbers32(int field, size_t count) { begin_list(field, kI32, count); }
  void begin_texts(int field, size_t count) { begin_list(field, kBinary, count); }
  void begin_structs(int field, size_t count) { begin_list(field, kStruct, count); }
  void element(int32_t value) { append_varint(bytes_, zigzag(value)); }
  void element(std::string_view value);
  void begin_element() { last_fields_.push_back(0); }  // a struct, up to its end()

  const std::string& bytes() const { return bytes_; }

 private:
  enum Type : uint8_t {
    kTrue = 1,
    kFalse = 2,
    kI32 = 5,
    kI64 = 6,
    kBinary = 8,
    kList = 9,
    kStruct = 12,
  };

  void begin_field(int field, Type type);
  void number(int field, Type type, int64_t value);
  void begin_list(int field, Type type, size_t count);

  std::string bytes_;
  std::vector<int> last_fields_ = {0};  // of the structs that are open
};

}  // namespace heapledger
