// Words of a memory through a small cache, for walks that read one header after the other; and
// the problems met on the way, of which there are never too many.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cores/memory.h"

namespace heapledger::cores {

class GlibcWords {
 public:
  explicit GlibcWords(const Memory& memory);

  const Memory& memory() const { return memory_; }
  unsigned size() const { return size_; }
  bool big_endian() const { return big_endian_; }

  // A pointer or size_t.
  std::optional<uint64_t> word(uint64_t address);
  std::optional<uint32_t> number32(uint64_t address);
  std::optional<uint16_t> number16(uint64_t address);
  std::optional<uint8_t> number8(uint64_t address);

 private:
  static constexpr size_t kPage = 4096;
  struct Window {
    uint64_t start = 1;  // no page begins there
    size_t length = 0;
    std::array<unsigned char, kPage> bytes;
  };

  template <typename Number>
  std::optional<Number> number(uint64_t address);

  const Memory& memory_;
  unsigned size_;
  bool big_endian_;
  std::vector<Window> windows_;
};

// Lines for people, only the first so many of them.
class GlibcProblems {
 public:
  void add(std::string line);
  std::vector<std::string> taken();

 private:
  static constexpr size_t kMost = 50;
  std::vector<std::string> lines_;
  uint64_t more_ = 0;
};

}  // namespace heapledger::cores
