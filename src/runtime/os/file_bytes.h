// The bytes of an open file, read a little at a time; reads that leave the file fail. The file may
// change meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/os/os.h"

namespace heapledger::runtime::os {

class FileBytes {
 public:
  explicit FileBytes(int fd) : fd_(fd) {}

  // All of the bytes, or false. At most kAtOnce of them.
  bool read(uint64_t offset, void* to, size_t bytes) {
    if (offset < start_ || bytes > size_ || offset - start_ > size_ - bytes) {
      if (bytes > kAtOnce || !fill(offset, bytes)) return false;
    }
    memcpy(to, buffer_ + (offset - start_), bytes);
    return true;
  }

  // A text with a zero byte at its end, cut where it does not fit.
  template <size_t kBytes>
  bool read_text(uint64_t offset, char (&text)[kBytes]) {
    static_assert(kBytes <= kAtOnce);
    if (offset < start_ || offset - start_ > size_ || size_ - (offset - start_) < kBytes) {
      if (!fill(offset, 1)) return false;
    }
    size_t there = size_ - static_cast<size_t>(offset - start_);
    size_t bytes = there < kBytes - 1 ? there : kBytes - 1;
    memcpy(text, buffer_ + (offset - start_), bytes);
    text[bytes] = '\0';
    return true;
  }

  static constexpr size_t kAtOnce = 256;

 private:
  bool fill(uint64_t offset, size_t least) {
    start_ = offset;
    long got = read_at(fd_, buffer_, sizeof buffer_, offset);
    size_ = got < 0 ? 0 : static_cast<size_t>(got);
    return size_ >= least;
  }

  int fd_;
  uint64_t start_ = 0;
  size_t size_ = 0;
  char buffer_[kAtOnce];
};

}  // namespace heapledger::runtime::os
