// An address in a module, as a key.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapledger {

struct CodePlace {
  uint64_t address = 0;
  uint32_t module = 0;
  bool operator==(const CodePlace&) const = default;
};

struct CodePlaceHash {
  size_t operator()(const CodePlace& place) const {
    uint64_t sum = (place.address ^ uint64_t{place.module} << 48) * 0x9E3779B97F4A7C15ull;
    return static_cast<size_t>(sum ^ (sum >> 29));
  }
};

}  // namespace heapledger
