// Builds text in a buffer of fixed size without libc's printf, which uses kilobytes of stack and
// may allocate. What does not fit is cut off and remembered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace heapledger::runtime::os {

template <size_t kCapacity>
class Text {
 public:
  constexpr Text() = default;
  constexpr Text(const Text&) = default;
  // No more than there is: the rest of a long buffer is memory that nobody has touched.
  Text& operator=(const Text& other) {
    if (this == &other) return *this;
    clear();
    add(other.data_, other.length_);
    cut_ = other.cut_;
    return *this;
  }

  Text& add(const char* text) { return add(text, strlen(text)); }

  Text& add(const char* text, size_t bytes) {
    size_t room = kCapacity - 1 - length_;
    if (bytes > room) {
      bytes = room;
      cut_ = true;
    }
    memcpy(data_ + length_, text, bytes);
    length_ += bytes;
    data_[length_] = '\0';
    return *this;
  }

  Text& add_number(uint64_t value) {
    char digits[20];
    size_t count = 0;
    do {
      digits[sizeof digits - ++count] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
    return add(digits + sizeof digits - count, count);
  }

  void clear() {
    length_ = 0;
    data_[0] = '\0';
    cut_ = false;
  }

  const char* data() const { return data_; }
  size_t size() const { return length_; }
  bool was_cut() const { return cut_; }

 private:
  // Before the text: so a short one is in a single page.
  size_t length_ = 0;
  bool cut_ = false;
  char data_[kCapacity] = {};
};

}  // namespace heapledger::runtime::os
