// Rows that do not change any more, in few bytes each: where a word is the same, or nearly, in rows
// that stand together, only what differs is kept. In blocks of some; in a block a word takes as
// many bytes as the largest difference from the smallest one there.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace heapledger {

template <typename Row>
class PackedRows {
 public:
  static constexpr size_t kWords = sizeof(Row) / sizeof(uint32_t);
  using Words = std::array<uint32_t, kWords>;
  static_assert(std::is_trivially_copyable_v<Row> && sizeof(Words) == sizeof(Row));

  PackedRows() = default;
  PackedRows(const std::vector<Row>& rows) {  // NOLINT(*-explicit-*): they are the same rows
    for (const Row& row : rows) add(row);
    finish();
  }

  void add(const Row& row) {
    waiting_.push_back(std::bit_cast<Words>(row));
    ++size_;
    if (waiting_.size() == kRows) add_block();
  }
  // After the last one.
  void finish() {
    if (!waiting_.empty()) add_block();
    waiting_ = {};
    bytes_.resize(bytes_.size() + sizeof(uint32_t));  // whole words are read, wherever they begin
    bytes_.shrink_to_fit();
    blocks_.shrink_to_fit();
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  Row operator[](size_t row) const {
    const Block& block = blocks_[row / kRows];
    Words words = block.least;
    for (uint64_t used = block.used; used != 0; used &= used - 1) {
      const auto i = static_cast<size_t>(std::countr_zero(used));
      words[i] = read(block, row % kRows, i);
    }
    return std::bit_cast<Row>(words);
  }
  uint32_t word(size_t row, size_t number) const {
    return read(blocks_[row / kRows], row % kRows, number);
  }

  // Of rows from the first one up to before the end.
  template <typename Use>
  void for_each(size_t first, size_t end, const Use& use) const {
    std::array<Words, kRows> words;
    while (first < end) {
      const Block& block = blocks_[first / kRows];
      const size_t from = first % kRows;
      const size_t count = std::min(kRows - from, end - first);
      std::fill_n(words.begin(), count, block.least);
      for (uint64_t used = block.used; used != 0; used &= used - 1) {
        unpack(block, from, count, static_cast<size_t>(std::countr_zero(used)), words);
      }
      for (size_t i = 0; i < count; ++i) use(std::bit_cast<Row>(words[i]));
      first += count;
    }
  }
  template <typename Use>
  void for_each(const Use& use) const {
    for_each(0, size_, use);
  }

  std::vector<Row> unpacked() const {
    std::vector<Row> rows;
    rows.reserve(size_);
    for_each([&rows](const Row& row) { rows.push_back(row); });
    return rows;
  }

  // The first of which it is false, from `first` on; up to there it is true of all.
  template <typename Is>
  size_t find_end(size_t first, const Is& is) const {
    size_t end = size_;
    while (first < end) {
      const size_t middle = first + (end - first) / 2;
      if (is((*this)[middle])) {
        first = middle + 1;
      } else {
        end = middle;
      }
    }
    return first;
  }

  bool operator==(const PackedRows& other) const {
    if (size_ != other.size_) return false;
    for (size_t i = 0; i < size_; ++i) {
      if (!((*this)[i] == other[i])) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kRows = 64;
  struct Block {
    size_t begin = 0;   // in bytes_
    uint64_t used = 0;  // a bit for each word that is not the same in all rows
    Words least{};
    std::array<uint8_t, kWords> before{};  // so many bytes of a row are of earlier words
    std::array<uint8_t, kWords> widths{};
  };
  static_assert(kWords <= 64);  // or they would not fit into a byte, and `used`

  const unsigned char* bytes_of(const Block& block, size_t row, size_t number) const {
    return bytes_.data() + block.begin + block.before[number] * kRows + row * block.widths[number];
  }
  uint32_t read(const Block& block, size_t row, size_t number) const {
    const unsigned width = block.widths[number];
    uint32_t more;
    std::memcpy(&more, bytes_of(block, row, number), sizeof more);
    const uint64_t mask = (uint64_t{1} << 8 * width) - 1;
    return block.least[number] + static_cast<uint32_t>(more & mask);
  }

  void unpack(const Block& block, size_t from, size_t count, size_t number,
              std::array<Words, kRows>& to) const {
    const uint32_t least = block.least[number];
    const unsigned char* at = bytes_of(block, from, number);
    const unsigned width = block.widths[number];
    const auto mask = static_cast<uint32_t>((uint64_t{1} << 8 * width) - 1);
    for (size_t i = 0; i < count; ++i, at += width) {
      uint32_t more;
      std::memcpy(&more, at, sizeof more);
      to[i][number] = least + (more & mask);
    }
  }

  void add_block() {
    Block& block = blocks_.emplace_back();
    block.begin = bytes_.size();
    block.least = waiting_.front();
    Words different{};  // most are not
    for (const Words& words : waiting_) {
      for (size_t i = 0; i < kWords; ++i) different[i] |= words[i] ^ block.least[i];
    }
    size_t before = 0;
    for (size_t number = 0; number < kWords; ++number) {
      if (different[number] == 0) continue;
      uint32_t least = UINT32_MAX, most = 0;
      for (const Words& words : waiting_) {
        least = std::min(least, words[number]);
        most = std::max(most, words[number]);
      }
      const auto width = static_cast<size_t>((std::bit_width(most - least) + 7) / 8);
      block.least[number] = least;
      block.before[number] = static_cast<uint8_t>(before);
      block.widths[number] = static_cast<uint8_t>(width);
      block.used |= uint64_t{1} << number;
      before += width;
      const size_t begin = bytes_.size();
      bytes_.resize(begin + width * kRows);
      for (size_t i = 0; i < waiting_.size(); ++i) {
        const uint32_t more = waiting_[i][number] - least;
        std::memcpy(bytes_.data() + begin + i * width, &more, width);
      }
    }
    waiting_.clear();
  }

  size_t size_ = 0;
  std::vector<Words> waiting_;
  std::vector<Block> blocks_;
  std::vector<unsigned char> bytes_;  // of each word those of a block, one after the other
};

}  // namespace heapledger
