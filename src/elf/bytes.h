// The bytes of a file that may be anything, a hostile executable included. Every read says where
// and how much and is refused when it leaves the file, so a reader on top of it needs no further
// bounds; the file is read, never mapped, so that its being cut meanwhile is an error, not a crash.
// Opening never blocks: a pipe or a device is not opened at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heapledger::elf {

class ElfBytes {
 public:
  // Nothing when the path is not a regular file that we may read.
  static std::optional<ElfBytes> open(const std::string& path);

  ElfBytes(ElfBytes&& other) noexcept;
  ElfBytes& operator=(ElfBytes&&) = delete;
  ~ElfBytes();

  uint64_t size() const { return size_; }

  // All of the bytes, or false.
  bool read(uint64_t offset, void* to, size_t bytes) const;

  // The first bytes of the file, at most this many.
  std::string head(size_t most) const;

  // `count` structures from `offset` on; nothing when they are not all in the file, or take more
  // than `most_bytes`.
  template <typename T>
  std::optional<std::vector<T>> table(uint64_t offset, uint64_t count, uint64_t most_bytes) const {
    if (count > most_bytes / sizeof(T) || !inside(offset, count * sizeof(T))) return std::nullopt;
    std::vector<T> items(static_cast<size_t>(count));
    if (!read(offset, items.data(), items.size() * sizeof(T))) return std::nullopt;
    return items;
  }

 private:
  ElfBytes(int fd, uint64_t size) : fd_(fd), size_(size) {}
  bool inside(uint64_t offset, uint64_t bytes) const {
    return offset <= size_ && bytes <= size_ - offset;
  }

  int fd_;
  uint64_t size_;
};

}  // namespace heapledger::elf
