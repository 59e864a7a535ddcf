// Reads the bytes of unwind information inside fixed bounds. A read past the end yields zero and
// sets failed(); nothing outside [begin, end) is ever touched, whatever the bytes say.
#pragma once

#include <cstdint>
#include <cstring>

namespace heapledger::runtime {

class ByteCursor {
 public:
  ByteCursor() = default;
  ByteCursor(const unsigned char* begin, const unsigned char* end) : at_(begin), end_(end) {
    if (begin == nullptr || begin > end) fail();
  }

  template <typename T>
  T fixed() {
    T value{};
    if (left() < sizeof value) {
      fail();
      return value;
    }
    memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  uint64_t uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      auto byte = fixed<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7Fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
    fail();
    return 0;
  }

  int64_t sleb() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70;) {
      auto byte = fixed<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7Fu} << shift;
      shift += 7;
      if ((byte & 0x80) == 0) {
        if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
        return static_cast<int64_t>(value);
      }
    }
    fail();
    return 0;
  }

  void skip(uint64_t bytes) {
    if (bytes > left()) {
      fail();
    } else {
      at_ += bytes;
    }
  }

  // The next `bytes` bytes as a cursor of their own; this one moves past them.
  ByteCursor take(uint64_t bytes) {
    const unsigned char* begin = at_;
    skip(bytes);
    return failed_ ? ByteCursor(nullptr, nullptr) : ByteCursor(begin, at_);
  }

  bool failed() const { return failed_; }
  bool done() const { return failed_ || at_ >= end_; }
  uint64_t left() const { return failed_ ? 0 : static_cast<uint64_t>(end_ - at_); }
  const unsigned char* at() const { return at_; }
  const unsigned char* end() const { return end_; }

 private:
  void fail() {
    failed_ = true;
    at_ = end_;
  }

  const unsigned char* at_ = nullptr;
  const unsigned char* end_ = nullptr;
  bool failed_ = false;
};

}  // namespace heapledger::runtime
