// Reads numbers out of a section in the machine's byte order. It never reads past the end: the
// first attempt makes the reader bad for good, and everything it then gives is zero.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace heapledger {

class ByteReader {
 public:
  ByteReader() = default;
  ByteReader(std::string_view bytes, uint64_t offset)
      : begin_(bytes.data() != nullptr ? bytes.data() : ""),  // also for the C library's sake
        at_(begin_),
        end_(begin_ + bytes.size()) {
    skip(offset);
  }

  bool bad() const { return bad_; }
  bool at_end() const { return at_ == end_; }
  uint64_t offset() const { return static_cast<uint64_t>(at_ - begin_); }
  uint64_t left() const { return static_cast<uint64_t>(end_ - at_); }
  void fail() {
    bad_ = true;
    at_ = end_;
  }

  void skip(uint64_t bytes) {
    if (bytes > left()) return fail();
    at_ += bytes;
  }

  // Of 1, 2, 3, 4 or 8 bytes.
  uint64_t number(unsigned size) {
    uint64_t value = 0;
    if (size > left() || size > 8) {
      fail();
      return 0;
    }
    std::memcpy(&value, at_, size);
    at_ += size;
    return value;
  }
  template <typename T>
  T fixed() {
    T value = 0;
    if (sizeof(T) > left()) {
      fail();
      return 0;
    }
    std::memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  uint64_t uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0; at_ != end_; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      if (shift < 64) value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }
  int64_t sleb() {
    uint64_t value = 0;
    for (unsigned shift = 0; at_ != end_;) {
      const auto byte = static_cast<unsigned char>(*at_++);
      if (shift < 64) value |= uint64_t{byte & 0x7Fu} << shift;
      shift += 7;
      if (byte < 0x80) {
        if (shift < 64 && (byte & 0x40u) != 0) value |= ~uint64_t{0} << shift;
        return static_cast<int64_t>(value);
      }
    }
    fail();
    return 0;
  }
  void skip_leb() {
    while (at_ != end_) {
      if (static_cast<unsigned char>(*at_++) < 0x80) return;
    }
    fail();
  }

  // Up to the next NUL, which is stepped over.
  std::string_view text() {
    const auto* end = static_cast<const char*>(std::memchr(at_, 0, left()));
    if (end == nullptr) {
      fail();
      return {};
    }
    const std::string_view found(at_, static_cast<size_t>(end - at_));
    at_ = end + 1;
    return found;
  }

 private:
  const char* begin_ = "";
  const char* at_ = begin_;
  const char* end_ = begin_;
  bool bad_ = false;
};

}  // namespace heapledger
