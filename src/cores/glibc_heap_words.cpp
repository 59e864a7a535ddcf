#include "cores/glibc_heap_words.h"

#include <span>
#include <utility>

#include "text/text.h"

namespace heapledger::cores {

GlibcWords::GlibcWords(const Memory& memory)
    : memory_(memory),
      size_(memory.shape().word_bytes == 4 ? 4 : 8),
      big_endian_(memory.shape().big_endian),
      windows_(256) {}

template <typename Number>
std::optional<Number> GlibcWords::number(uint64_t address) {
  uint64_t start = address & ~uint64_t{kPage - 1};
  size_t offset = static_cast<size_t>(address - start);
  if (offset + sizeof(Number) > kPage) return memory_.number<Number>(address);
  // Heaps begin at round addresses: the higher bits have to tell, too.
  uint64_t page = address / kPage;
  Window& window = windows_[static_cast<size_t>(page ^ page >> 8 ^ page >> 14) % windows_.size()];
  if (window.start != start) {
    window.start = start;
    window.length = memory_.read(start, window.bytes);
  }
  // A dump may begin in the middle of a page.
  if (offset + sizeof(Number) > window.length) return memory_.number<Number>(address);
  return Memory::decode<Number>(window.bytes.data() + offset, big_endian_);
}

std::optional<uint64_t> GlibcWords::word(uint64_t address) {
  if (size_ == 4) return number<uint32_t>(address);
  return number<uint64_t>(address);
}

std::optional<uint32_t> GlibcWords::number32(uint64_t address) {
  return number<uint32_t>(address);
}

std::optional<uint16_t> GlibcWords::number16(uint64_t address) {
  return number<uint16_t>(address);
}

std::optional<uint8_t> GlibcWords::number8(uint64_t address) {
  return number<uint8_t>(address);
}

void GlibcProblems::add(std::string line) {
  if (lines_.size() < kMost) {
    lines_.push_back(std::move(line));
  } else {
    ++more_;
  }
}

std::vector<std::string> GlibcProblems::taken() {
  if (more_ > 0) lines_.push_back("and " + counted(more_, "problem") + " more");
  more_ = 0;
  return std::exchange(lines_, {});
}

}  // namespace heapledger::cores
