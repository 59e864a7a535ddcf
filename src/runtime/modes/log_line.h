// The text of one line of the log, put together in a buffer of kMaxLine bytes: columns separated by
// tabs, arguments within their column by spaces. What does not fit is left out; the end of the
// line always fits.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/modes/log_output.h"

namespace heapledger::runtime {

class LogLine {
 public:
  explicit LogLine(char* buffer) : buffer_(buffer) {}

  void text(const char* text) { add(text, strlen(text)); }

  void decimal(uint64_t value, unsigned least_digits = 1) {
    char digits[20];
    size_t count = 0;
    do {
      digits[sizeof digits - ++count] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0 || count < least_digits);
    add(digits + sizeof digits - count, count);
  }

  void hex(uint64_t value) {
    char digits[18];
    size_t count = 0;
    do {
      digits[sizeof digits - ++count] = "0123456789abcdef"[value & 15];
      value >>= 4;
    } while (value != 0);
    digits[sizeof digits - ++count] = 'x';
    digits[sizeof digits - ++count] = '0';
    add(digits + sizeof digits - count, count);
  }

  // Whether more than a few numbers still fit.
  bool has_room() const { return length_ + 64 <= kRoom; }

  size_t end() {
    memcpy(buffer_ + length_, "\n", 1);
    return length_ + 1;
  }

 private:
  static constexpr size_t kRoom = kMaxLine - 1;

  void add(const char* text, size_t bytes) {
    if (bytes > kRoom - length_) return;
    memcpy(buffer_ + length_, text, bytes);
    length_ += bytes;
  }

  char* buffer_;
  size_t length_ = 0;
};

}  // namespace heapledger::runtime
