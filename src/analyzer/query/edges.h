// The moments between buckets of time at which the index is exact.
#pragma once

#include <cstdint>
#include <optional>

namespace heapledger {

// Buckets of equal width from time 0; edge i is the last nanosecond of bucket i.
struct Edges {
  uint64_t width_ns = 0;  // 0: there are none
  uint32_t count = 0;

  uint64_t time_of(uint32_t edge) const { return (uint64_t{edge} + 1) * width_ns - 1; }
  // Nothing when the time is between two.
  std::optional<uint32_t> at(uint64_t time_ns) const {
    if (width_ns == 0 || (time_ns + 1) % width_ns != 0 || time_ns + 1 < width_ns) return {};
    const uint64_t edge = (time_ns + 1) / width_ns - 1;
    return edge < count ? std::optional(static_cast<uint32_t>(edge)) : std::nullopt;
  }
  bool operator==(const Edges&) const = default;
};

}  // namespace heapledger
