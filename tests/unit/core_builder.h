// Makes core dumps by hand, of any word size and byte order, after the format's description: a
// header, program headers, and then what they point to.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cores/memory.h"

namespace heapledger::cores {

// Numbers in the byte order and word size of a dump.
class NumberWriter {
 public:
  explicit NumberWriter(const Shape& shape) : shape_(shape) {}

  NumberWriter& number(uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) {
      unsigned shift = 8 * (shape_.big_endian ? size - 1 - i : i);
      bytes_ += static_cast<char>(shift < 64 ? value >> shift : 0);
    }
    return *this;
  }
  NumberWriter& half(uint64_t value) { return number(value, 2); }
  NumberWriter& whole(uint64_t value) { return number(value, 4); }
  NumberWriter& word(uint64_t value) { return number(value, shape_.word_bytes); }
  NumberWriter& text(const std::string& value, size_t size) {
    std::string padded = value;
    padded.resize(size);
    bytes_ += padded;
    return *this;
  }
  NumberWriter& zeros(size_t count) {
    bytes_.append(count, '\0');
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Shape shape_;
  std::string bytes_;
};

class CoreBuilder {
 public:
  explicit CoreBuilder(const Shape& shape) : shape_(shape) {}

  // A note, which is padded to four bytes.
  CoreBuilder& note(const std::string& name, uint32_t type, const std::string& contents) {
    NumberWriter head(shape_);
    head.whole(name.size() + 1).whole(contents.size()).whole(type);
    notes_ += head.bytes() + padded(name + '\0') + padded(contents);
    return *this;
  }

  // A thread: its number, and its registers as words.
  CoreBuilder& thread(uint32_t tid, const std::vector<uint64_t>& registers) {
    bool wide = shape_.word_bytes == 8;
    NumberWriter status(shape_);
    status.zeros(wide ? 32 : 24).whole(tid).zeros(wide ? 76 : 44);
    for (uint64_t value : registers) status.word(value);
    status.word(1);
    return note("CORE", 1, status.bytes());
  }

  struct File {
    uint64_t start, end, page;
    std::string path;
  };
  CoreBuilder& files(const std::vector<File>& all) {
    NumberWriter list(shape_);
    list.word(all.size()).word(4096);
    for (const File& file : all) list.word(file.start).word(file.end).word(file.page);
    for (const File& file : all) list.text(file.path, file.path.size() + 1);
    return note("CORE", 0x46494C45, list.bytes());
  }

  // What is mapped at an address; `memory_bytes`: if more than is in the dump.
  CoreBuilder& memory(uint64_t address, const std::string& bytes, uint64_t memory_bytes = 0,
                      uint32_t flags = 6) {
    loads_.push_back({address, bytes, memory_bytes == 0 ? bytes.size() : memory_bytes, flags});
    return *this;
  }

  // A program header with whatever numbers, pointing anywhere.
  CoreBuilder& wild_segment(uint32_t type, uint64_t offset, uint64_t address, uint64_t file_bytes,
                            uint64_t memory_bytes) {
    wild_ += segment(type, 6, offset, address, file_bytes, memory_bytes);
    ++wild_count_;
    return *this;
  }

  CoreBuilder& count_in_section() {
    count_in_section_ = true;
    return *this;
  }
  CoreBuilder& type(uint16_t value) {
    type_ = value;
    return *this;
  }

  std::string build() const {
    bool wide = shape_.word_bytes == 8;
    uint64_t segment_bytes = wide ? 56 : 32;
    uint64_t head_bytes = wide ? 64 : 52;
    uint64_t section_bytes = wide ? 64 : 40;
    uint64_t count = 1 + loads_.size() + wild_count_;
    uint64_t at = head_bytes + section_bytes + count * segment_bytes;
    std::string segments = segment(4, 0, at, 0, notes_.size(), 0);
    std::string contents = notes_;
    for (const Load& load : loads_) {
      segments += segment(1, load.flags, at + contents.size(), load.address, load.bytes.size(),
                          load.memory_bytes);
      contents += load.bytes;
    }
    return head(count) + section(count) + segments + wild_ + contents;
  }

 private:
  struct Load {
    uint64_t address;
    std::string bytes;
    uint64_t memory_bytes;
    uint32_t flags;
  };

  static std::string padded(std::string bytes) {
    bytes.resize((bytes.size() + 3) / 4 * 4);
    return bytes;
  }

  std::string head(uint64_t count) const {
    bool wide = shape_.word_bytes == 8;
    NumberWriter out(shape_);
    out.text(
           "\x7F"
           "ELF",
           4)
        .number(wide ? 2 : 1, 1)
        .number(shape_.big_endian ? 2 : 1, 1);
    out.number(1, 1).zeros(9).half(type_).half(shape_.machine).whole(1).word(0);
    out.word(wide ? 128 : 92).word(wide ? 64 : 52).whole(0);
    out.half(wide ? 64 : 52).half(wide ? 56 : 32).half(count_in_section_ ? 0xFFFF : count);
    out.half(wide ? 64 : 40).half(1).half(0);
    return out.bytes();
  }

  std::string section(uint64_t count) const {
    bool wide = shape_.word_bytes == 8;
    NumberWriter out(shape_);
    out.zeros(wide ? 44 : 28).whole(count).zeros(wide ? 16 : 8);
    return out.bytes();
  }

  std::string segment(uint32_t type, uint32_t flags, uint64_t offset, uint64_t address,
                      uint64_t file_bytes, uint64_t memory_bytes) const {
    bool wide = shape_.word_bytes == 8;
    NumberWriter out(shape_);
    out.whole(type);
    if (wide) out.whole(flags);
    out.word(offset).word(address).word(0).word(file_bytes).word(memory_bytes);
    if (!wide) out.whole(flags);
    out.word(0);
    return out.bytes();
  }

  Shape shape_;
  uint16_t type_ = 4;
  bool count_in_section_ = false;
  std::string notes_;
  std::vector<Load> loads_;
  std::string wild_;
  uint64_t wild_count_ = 0;
};

}  // namespace heapledger::cores
