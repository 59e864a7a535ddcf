// Memory with blocks that have headers, put together byte by byte after docs/format.md, for tests
// of their reader; of either word size and byte order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "cores/memory.h"

namespace heapledger::cores::test {

struct HeaderFields {
  uint64_t self = 0;
  uint64_t bytes = 0;
  uint64_t time = 0;
  uint32_t lead = 0;  // 0: what the header needs
  uint32_t thread = 0;
  uint32_t serial = 0;
  uint8_t flags = 0;
  std::vector<uint64_t> frames;
  size_t frames_in_place = 0;  // if not 0: as many frames, whatever is there
};

struct ImageFields {
  uint64_t self = 0;
  uint64_t anchor = 0;
  uint32_t machine = 0;
  uint64_t ticks_per_second = 0;
  uint64_t start = 0;
  uint64_t now = 0;
  std::string tag;
  uint64_t live_blocks = 0;
  uint64_t live_bytes = 0;
};

class HeaderBytes {
 public:
  HeaderBytes(const Shape& shape, uint64_t base, size_t size)
      : shape_(shape), base_(base), bytes_(size) {}

  const std::vector<unsigned char>& bytes() const { return bytes_; }

  void put(const HeaderFields& fields) {
    size_t word = shape_.word_bytes;
    size_t end = static_cast<size_t>(fields.self - base_);
    size_t at = end - 32 - 2 * word;
    size_t frames = fields.frames_in_place != 0 ? fields.frames_in_place : fields.frames.size();
    for (size_t i = 0; i < fields.frames.size(); ++i) {
      number(at - (frames - i) * word, fields.frames[i], word);
    }
    number(at, 0x484C4231, 4);
    bytes_[at + 4] = 1;
    bytes_[at + 5] = static_cast<unsigned char>(word);
    bytes_[at + 6] = static_cast<unsigned char>(frames);
    bytes_[at + 7] = fields.flags;
    number(at + 12, fields.lead != 0 ? fields.lead : 32 + (2 + frames) * word, 4);
    number(at + 16, fields.self, word);
    number(at + 16 + word, fields.bytes, word);
    halves(at + 16 + 2 * word, fields.time);
    number(at + 24 + 2 * word, fields.thread, 4);
    number(at + 28 + 2 * word, fields.serial, 4);
    uint32_t sum = check(0x484C4231, at - frames * word, at);
    sum = check(sum, at + 4, at + 8);
    number(at + 8, check(sum, at + 12, end), 4);
  }

  void put(const ImageFields& fields) {
    size_t word = shape_.word_bytes;
    size_t at = static_cast<size_t>(fields.self - base_);
    size_t tag = at + 40 + 2 * word;
    number(at, 0x484C4931, 4);
    bytes_[at + 4] = 1;
    bytes_[at + 5] = static_cast<unsigned char>(word);
    bytes_[at + 6] = 16;
    bytes_[at + 7] = fields.ticks_per_second != 0 ? 4 : 0;
    number(at + 12, 80 + 9 * word, 4);
    number(at + 16, fields.machine, 4);
    number(at + 20, 32 + 2 * word, 4);
    halves(at + 24, fields.ticks_per_second);
    halves(at + 32, fields.start);
    number(at + 40, fields.self, word);
    number(at + 40 + word, fields.anchor, word);
    std::memcpy(&bytes_[tag], fields.tag.data(), std::min<size_t>(31, fields.tag.size()));
    halves(tag + 32, fields.now);
    number(tag + 40, fields.live_blocks, word);
    number(tag + 40 + word, fields.live_bytes, word);
    uint32_t sum = check(0x484C4931, at + 4, at + 8);
    number(at + 8, check(sum, at + 12, tag + 32), 4);
  }

  void copy(uint64_t from, uint64_t to, size_t size) {
    std::memcpy(&bytes_[to - base_], &bytes_[from - base_], size);
  }

  void clear(uint64_t from, size_t size) { std::memset(&bytes_[from - base_], 0, size); }

 private:
  void number(size_t at, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      size_t place = shape_.big_endian ? size - 1 - i : i;
      bytes_[at + place] = static_cast<unsigned char>(value >> 8 * i);
    }
  }

  void halves(size_t at, uint64_t value) {
    number(at, value & 0xFFFFFFFF, 4);
    number(at + 4, value >> 32, 4);
  }

  uint32_t check(uint32_t sum, size_t from, size_t to) const {
    for (size_t at = from; at < to; at += 4) {
      uint32_t value = 0;
      for (size_t i = 0; i < 4; ++i) {
        size_t place = shape_.big_endian ? 3 - i : i;
        value |= static_cast<uint32_t>(bytes_[at + place]) << 8 * i;
      }
      sum = (sum ^ value) * 0x9E3779B1u;
      sum ^= sum >> 15;
    }
    return sum;
  }

  Shape shape_;
  uint64_t base_;
  std::vector<unsigned char> bytes_;
};

// Says nothing of itself but what it was given, as a plain dump does.
class PiecesOfMemory final : public Memory {
 public:
  void add(uint64_t start, std::vector<unsigned char> bytes, bool writable = true) {
    Region region;
    region.start = start;
    region.end = start + bytes.size();
    region.writable = writable;
    regions_.push_back(region);
    contents_.push_back(std::move(bytes));
  }
  void know_addresses() { threads_.emplace_back(); }

  size_t read(uint64_t address, std::span<unsigned char> out) const override {
    size_t got = 0;
    for (size_t i = 0; i < regions_.size() && got < out.size(); ++i) {
      uint64_t at = address + got;
      if (at < regions_[i].start || at >= regions_[i].end) continue;
      auto size = static_cast<size_t>(std::min<uint64_t>(out.size() - got, regions_[i].end - at));
      std::memcpy(&out[got], &contents_[i][at - regions_[i].start], size);
      got += size;
    }
    return got;
  }
  const std::vector<Region>& regions() const override { return regions_; }
  const std::vector<Module>& modules() const override { return modules_; }
  const std::vector<Thread>& threads() const override { return threads_; }
  Shape shape() const override { return {}; }

 private:
  std::vector<Region> regions_;
  std::vector<std::vector<unsigned char>> contents_;
  std::vector<Module> modules_;
  std::vector<Thread> threads_;
};

}  // namespace heapledger::cores::test
