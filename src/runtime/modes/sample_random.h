// The chance in sample mode: how far it is to the next sample. Distances are exponential, so what
// came before says nothing about what comes next: every byte (or call) has the same chance, and
// no rhythm of the program can hide from it.
//
// In whole numbers throughout: the program may have chosen how floating point rounds and what it
// traps, and can see that some was done. Nothing in here has state or fails.
#pragma once

#include <bit>
#include <cstdint>

namespace heapledger::runtime {

using Wide = unsigned __int128;

// A step of the generator "splitmix64": one word of state, every value once before it repeats.
inline uint64_t next_random(uint64_t& state) {
  uint64_t mixed = state += 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
  return mixed ^ mixed >> 31;
}

// -ln(x / 2^64) for x > 0, in units of 2^-56. The whole part of the binary logarithm is the place
// of the highest bit; each further bit is found by squaring what is left of the number, which is
// from 1 to 2: if that gives 2 or more, the bit is set. ln(2) makes it the natural one.
inline uint64_t minus_log(uint64_t x) {
  constexpr unsigned kBits = 56;
  constexpr uint64_t kLogTwo = 0xB17217F7D1CF79ABu;  // ln(2), in units of 2^-64
  auto zeros = static_cast<unsigned>(std::countl_zero(x));
  uint64_t left = x << zeros;  // in units of 2^-63
  uint64_t bits = 0;
  for (unsigned i = 0; i < kBits; ++i) {
    Wide square = (Wide{left} * left) >> 63;
    bool two = square >> 64 != 0;
    bits = bits << 1 | (two ? 1 : 0);
    left = static_cast<uint64_t>(two ? square >> 1 : square);
  }
  uint64_t of_two = ((uint64_t{zeros} + 1) << kBits) - bits;
  // The largest, 65, fits into the upper bits once it is multiplied.
  return static_cast<uint64_t>((Wide{of_two} * kLogTwo) >> 64);
}

// A mean distance, in units of 2^-32. Larger ones than 2^44 bytes are no different: never.
inline Wide mean_of_bytes(uint64_t bytes) {
  constexpr uint64_t kMost = uint64_t{1} << 44;
  return Wide{bytes < kMost ? bytes : kMost} << 32;
}

// The mean of the exponential distance whose whole part is geometric with a mean of `calls`, of two
// or more: 1 / -ln(1 - 1/calls). For many calls that is calls - 1/2, less 1 / (12 calls).
inline Wide mean_of_calls(uint64_t calls) {
  constexpr uint64_t kMany = 1 << 16;
  if (calls >= kMany) return mean_of_bytes(calls) - (Wide{1} << 31);
  return (Wide{1} << 88) / minus_log(~(UINT64_MAX / calls));
}

// How many bytes (or calls) up to and including the one to be sampled: at least 1. An exponential
// distance, rounded up: n of them reach it with the chance 1 - e^(-n/mean).
inline uint64_t draw_distance(uint64_t& state, Wide mean) {
  uint64_t x = next_random(state);
  uint64_t log = minus_log(x != 0 ? x : 1) >> 16;  // in units of 2^-40
  return static_cast<uint64_t>((mean * log) >> 72) + 1;
}

}  // namespace heapledger::runtime
