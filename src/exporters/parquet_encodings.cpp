#include "exporters/parquet_encodings.h"

#include <algorithm>
#include <array>
#include <bit>

#include "exporters/parquet_thrift.h"

namespace heapledger {
namespace {

constexpr size_t kGroup = 8;  // packed numbers come in groups of so many

// Numbers of so many bits one after the other, the first in the lowest bits of the first byte.
class BitPacker {
 public:
  BitPacker(std::string& to, unsigned bits) : to_(to), bits_(bits) {}

  void add(uint64_t value) {
    for (unsigned done = 0; done < bits_;) {
      const unsigned room = std::min(8 - used_, bits_ - done);
      byte_ |= ((value >> done) & ((1u << room) - 1)) << used_;
      done += room;
      used_ += room;
      if (used_ < 8) continue;
      to_ += static_cast<char>(byte_);
      byte_ = used_ = 0;
    }
  }

 private:
  std::string& to_;
  unsigned bits_;
  uint64_t byte_ = 0;
  unsigned used_ = 0;  // bits of it
};

void append_packed(std::string& to, std::span<const uint32_t> values, unsigned bits) {
  if (values.empty()) return;
  const size_t groups = (values.size() + kGroup - 1) / kGroup;
  append_varint(to, groups << 1 | 1);
  BitPacker packer(to, bits);
  for (uint32_t value : values) packer.add(value);
  for (size_t i = values.size(); i < groups * kGroup; ++i) packer.add(0);
}

void append_run(std::string& to, uint32_t value, size_t count, unsigned bits) {
  append_varint(to, uint64_t{count} << 1);
  for (unsigned done = 0; done < bits; done += 8) to += static_cast<char>(value >> done);
}

}  // namespace

unsigned bits_for(uint64_t most) {
  return static_cast<unsigned>(std::bit_width(most));
}

// What is packed before a run has to be whole groups: the run gives up its first numbers for that.
void append_hybrid(std::string& to, std::span<const uint32_t> values, unsigned bits) {
  size_t packed_from = 0;
  for (size_t at = 0; at < values.size();) {
    size_t end = at + 1;
    while (end < values.size() && values[end] == values[at]) ++end;
    const size_t missing = (kGroup - (at - packed_from) % kGroup) % kGroup;
    if (end - at >= missing + kGroup) {
      append_packed(to, values.subspan(packed_from, at + missing - packed_from), bits);
      append_run(to, values[at], end - at - missing, bits);
      packed_from = end;
    }
    at = end;
  }
  append_packed(to, values.subspan(packed_from), bits);
}

// In blocks of four miniblocks. Differences wrap, and are taken less the least of their block.
void append_deltas(std::string& to, std::span<const int64_t> values) {
  constexpr size_t kBlock = 128;
  constexpr size_t kMini = 32;
  append_varint(to, kBlock);
  append_varint(to, kBlock / kMini);
  append_varint(to, values.size());
  append_varint(to, zigzag(values.empty() ? 0 : values.front()));
  std::array<uint64_t, kBlock> deltas{};
  for (size_t at = 1; at < values.size(); at += kBlock) {
    const size_t count = std::min(kBlock, values.size() - at);
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < count; ++i) {
      deltas[i] = static_cast<uint64_t>(values[at + i]) - static_cast<uint64_t>(values[at + i - 1]);
      least = std::min(least, static_cast<int64_t>(deltas[i]));
    }
    append_varint(to, zigzag(least));
    for (size_t i = 0; i < kBlock; ++i) {
      deltas[i] = i < count ? deltas[i] - static_cast<uint64_t>(least) : 0;
    }
    std::array<unsigned, kBlock / kMini> widths{};
    for (size_t i = 0; i < kBlock; ++i) {
      widths[i / kMini] = std::max(widths[i / kMini], bits_for(deltas[i]));
    }
    for (unsigned width : widths) to += static_cast<char>(width);
    for (size_t mini = 0; mini * kMini < count; ++mini) {  // those without values are left out
      BitPacker packer(to, widths[mini]);
      for (size_t i = mini * kMini; i < (mini + 1) * kMini; ++i) packer.add(deltas[i]);
    }
  }
}

}  // namespace heapledger
