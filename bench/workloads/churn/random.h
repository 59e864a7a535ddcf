// A small deterministic source of numbers (splitmix64). The same seed gives the same numbers on
// every machine and with every library, which std's distributions do not promise.
#pragma once

#include <cstdint>

namespace heapledger::bench {

inline uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
  return value ^ (value >> 31);
}

class Random {
 public:
  explicit Random(uint64_t seed) : state_(mix(seed + 1)) {}

  uint64_t next() { return mix(state_ += 0x9E3779B97F4A7C15ull); }
  unsigned below(unsigned limit) { return static_cast<unsigned>((next() >> 32) * limit >> 32); }
  bool one_in(unsigned n) { return below(n) == 0; }

 private:
  uint64_t state_;
};

// What a result adds up to, so that a run can prove that it did its work. FNV-1a over the text.
inline uint64_t digest(const char* data, uint64_t bytes) {
  uint64_t sum = 0xCBF29CE484222325ull;
  for (uint64_t i = 0; i < bytes; ++i) {
    sum = (sum ^ static_cast<unsigned char>(data[i])) * 0x100000001B3ull;
  }
  return sum;
}

}  // namespace heapledger::bench
