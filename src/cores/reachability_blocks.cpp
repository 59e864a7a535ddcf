#include "cores/reachability_blocks.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace heapledger::cores {
namespace {

constexpr uint64_t kLargeGap = uint64_t{1} << 20;
constexpr uint32_t kLeastCellBits = 5;

uint64_t end_of(const LiveBlock& block) {
  uint64_t room = std::numeric_limits<uint64_t>::max() - block.address;
  return block.address + std::min(room, std::max<uint64_t>(block.size, 1));
}

}  // namespace

BlocksByAddress::BlocksByAddress(const std::vector<LiveBlock>& blocks) {
  auto count = static_cast<uint32_t>(std::min<size_t>(blocks.size(), kNone - 1));
  numbers_.resize(count);
  std::iota(numbers_.begin(), numbers_.end(), 0u);
  std::sort(numbers_.begin(), numbers_.end(), [&](uint32_t a, uint32_t b) {
    return blocks[a].address != blocks[b].address ? blocks[a].address < blocks[b].address : a < b;
  });
  starts_.reserve(count);
  ends_.reserve(count);
  for (uint32_t number : numbers_) {
    starts_.push_back(blocks[number].address);
    ends_.push_back(end_of(blocks[number]));
  }
  for (uint32_t place = 1; place < count; ++place) {
    ends_[place - 1] = std::min(ends_[place - 1], starts_[place]);
  }
  uint32_t first = 0;
  uint64_t end = 0;
  for (uint32_t place = 0; place < count; ++place) {
    if (place > first && starts_[place] > end && starts_[place] - end > kLargeGap) {
      add_span(first, place);
      first = place;
    }
    end = ends_[place];
  }
  if (first < count) add_span(first, count);
}

void BlocksByAddress::add_span(uint32_t first, uint32_t last) {
  Span span;
  span.first = first;
  span.last = last;
  span.start = starts_[first];
  span.end = ends_[last - 1];
  span.first_cell = cells_.size();
  // About one block to a cell, so that there are no more cells than blocks.
  uint64_t bytes = std::max<uint64_t>(span.end - span.start, 1);
  uint64_t mean = bytes / (last - first);
  span.cell_bits = std::clamp(static_cast<uint32_t>(std::bit_width(mean)), kLeastCellBits, 63u);
  size_t count = static_cast<size_t>((bytes - 1) >> span.cell_bits) + 1;
  uint32_t place = first;
  for (size_t cell = 0; cell < count; ++cell) {
    uint64_t from = span.start + (uint64_t{cell} << span.cell_bits);
    while (place < last && starts_[place] < from) ++place;
    cells_.push_back(place);
  }
  cells_.push_back(last);
  spans_.push_back(span);
}

const BlocksByAddress::Span* BlocksByAddress::span_of(uint64_t address) const {
  auto next = std::upper_bound(spans_.begin(), spans_.end(), address,
                               [](uint64_t value, const Span& span) { return value < span.start; });
  if (next == spans_.begin()) return nullptr;
  const Span& span = *(next - 1);
  return address < span.end ? &span : nullptr;
}

uint32_t BlocksByAddress::find(uint64_t address) const {
  const Span* span = span_of(address);
  if (span == nullptr) return kNone;
  size_t cell = span->first_cell + static_cast<size_t>((address - span->start) >> span->cell_bits);
  auto from = starts_.begin() + cells_[cell];
  auto to = starts_.begin() + cells_[cell + 1];
  auto next = std::upper_bound(from, to, address);
  if (next == starts_.begin()) return kNone;
  auto place = static_cast<uint32_t>(next - starts_.begin()) - 1;
  return address < ends_[place] ? place : kNone;
}

uint32_t BlocksByAddress::first_from(uint64_t address) const {
  return static_cast<uint32_t>(std::lower_bound(starts_.begin(), starts_.end(), address) -
                               starts_.begin());
}

}  // namespace heapledger::cores
