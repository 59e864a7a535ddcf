// The bytes of a column as they are added: grows like a vector, without asking before every byte
// whether there is room.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "format/varint.h"

namespace heapledger::seal {

class ColumnBuffer {
 public:
  void clear() { size_ = 0; }
  std::span<const unsigned char> bytes() const { return {bytes_.get(), size_}; }

  void put_byte(unsigned char byte) {
    reserve(1);
    bytes_[size_++] = byte;
  }

  void put(uint64_t value) {
    reserve(kMostOfNumber);
    unsigned char* to = bytes_.get() + size_;
    size_ += static_cast<size_t>(format::put_varint(to, value) - to);
  }

  void put_bytes(const void* from, size_t count) {
    if (count == 0) return;
    reserve(count);
    std::memcpy(bytes_.get() + size_, from, count);
    size_ += count;
  }

 private:
  static constexpr size_t kMostOfNumber = format::kMaxVarintBytes + 8;  // put_varint may write on

  void reserve(size_t more) {
    if (size_ + more > capacity_) [[unlikely]] {
      grow(more);
    }
  }

  [[gnu::noinline]] void grow(size_t more) {
    const size_t capacity = std::max(2 * capacity_, size_ + more + 4096);
    auto larger = std::make_unique_for_overwrite<unsigned char[]>(capacity);
    if (size_ > 0) std::memcpy(larger.get(), bytes_.get(), size_);
    bytes_ = std::move(larger);
    capacity_ = capacity;
  }

  std::unique_ptr<unsigned char[]> bytes_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace heapledger::seal
