// Looks through memory for words that are addresses in blocks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "cores/memory.h"
#include "cores/reachability_blocks.h"
#include "cores/reachability_stacks.h"
#include "cores/reachability_stretch.h"

namespace heapledger::cores {

// Whoever is called with a word gets it as use(place, word): the block's place, and the word.
class PointerScan {
 public:
  PointerScan(const Memory& memory, const BlocksByAddress& blocks)
      : memory_(memory),
        blocks_(blocks),
        word_(memory.shape().word_bytes),
        big_endian_(memory.shape().big_endian) {
    if (blocks.size() == 0) return;
    lowest_ = blocks.start(0);
    highest_ = blocks.end(blocks.size() - 1);
  }

  // For every aligned word there that is an address in a block.
  template <typename Use>
  void each_pointer(const Stretch& where, const Use& use);

  // The same in blocks, whose places are in order. Those that lie together are read as one: dumps
  // are read much faster so than in small pieces.
  template <typename Use>
  void each_pointer_of(std::span<const uint32_t> places, const Use& use);

  // Of what was to be looked through, so far.
  uint64_t missing_bytes() const { return missing_bytes_; }

 private:
  static constexpr size_t kPieceBytes = size_t{1} << 20;
  static constexpr uint64_t kSmallGap = 512;

  template <typename Use>
  void each_pointer_of_group(std::span<const uint32_t> group, uint64_t start, const Use& use);
  template <typename Use>
  void words_in(const unsigned char* bytes, size_t size, const Use& use) const;

  const Memory& memory_;
  const BlocksByAddress& blocks_;
  size_t word_;
  bool big_endian_;
  uint64_t lowest_ = 1;
  uint64_t highest_ = 0;
  std::vector<unsigned char> piece_;
  uint64_t missing_bytes_ = 0;
};

template <typename Use>
void PointerScan::words_in(const unsigned char* bytes, size_t size, const Use& use) const {
  constexpr bool kBigEndianHere = std::endian::native == std::endian::big;
  for (size_t at = 0; at + word_ <= size; at += word_) {
    uint64_t value = 0;
    if (word_ == 8) {
      std::memcpy(&value, bytes + at, 8);
      if (big_endian_ != kBigEndianHere) value = Memory::decode<uint64_t>(bytes + at, big_endian_);
    } else {
      value = Memory::decode<uint32_t>(bytes + at, big_endian_);
    }
    if (value < lowest_ || value >= highest_) continue;
    uint32_t place = blocks_.find(value);
    if (place != BlocksByAddress::kNone) use(place, value);
  }
}

template <typename Use>
void PointerScan::each_pointer(const Stretch& where, const Use& use) {
  uint64_t at = where.start + (word_ - where.start % word_) % word_;
  while (at >= where.start && at < where.end && where.end - at >= word_) {
    auto wanted = static_cast<size_t>(std::min<uint64_t>(kPieceBytes, where.end - at));
    if (piece_.size() < wanted) piece_.resize(wanted);
    size_t got = memory_.read(at, {piece_.data(), wanted});
    words_in(piece_.data(), got, use);
    if (got == wanted) {
      at += got;
      continue;
    }
    // What is missing is missing to the end of its region: dumps are cut there, not full of holes.
    const Region* region = region_of(memory_, at + got);
    uint64_t next = region == nullptr ? where.end : std::min(where.end, region->end);
    missing_bytes_ += next - (at + got);
    at = next + (word_ - next % word_) % word_;
  }
}

template <typename Use>
void PointerScan::each_pointer_of(std::span<const uint32_t> places, const Use& use) {
  for (size_t i = 0; i < places.size();) {
    uint64_t start = blocks_.start(places[i]) / word_ * word_;
    size_t last = i;
    while (last + 1 < places.size() && blocks_.end(places[last + 1]) - start <= kPieceBytes &&
           blocks_.start(places[last + 1]) - blocks_.end(places[last]) <= kSmallGap) {
      ++last;
    }
    each_pointer_of_group(places.subspan(i, last + 1 - i), start, use);
    i = last + 1;
  }
}

// Blocks that lie close to one another, the first of them at `start` or a little behind it.
template <typename Use>
void PointerScan::each_pointer_of_group(std::span<const uint32_t> group, uint64_t start,
                                        const Use& use) {
  uint64_t bytes = blocks_.end(group.back()) - start;
  bool whole = false;
  if (group.size() > 1) {
    if (piece_.size() < bytes) piece_.resize(static_cast<size_t>(bytes));
    whole = memory_.read_all(start, {piece_.data(), static_cast<size_t>(bytes)});
  }
  for (uint32_t place : group) {
    Stretch block{blocks_.start(place), blocks_.end(place)};
    if (!whole) {
      each_pointer(block, use);
      continue;
    }
    uint64_t from = (block.start + word_ - 1) / word_ * word_;
    if (from >= block.end) continue;
    words_in(piece_.data() + (from - start), static_cast<size_t>(block.end - from), use);
  }
}

}  // namespace heapledger::cores
