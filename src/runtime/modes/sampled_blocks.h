// The blocks that sample mode has entered and that are still there: a set of addresses, asked by
// every free. A block that was not sampled is told apart by one load, nearly always: a filter has a
// small counter for every address modulo its size. Behind it is the set itself.
//
// No lock, no waiting, safe in signal handlers; memory is our own and grows with the samples alive
// at one time. A forked child has its own copy, with its parent's blocks, as it has the blocks. An
// address is added after the real allocation and removed before the real free. It may be there
// twice: of a block that was moved away just now, and of the one that has come in its place.
#pragma once

#include <atomic>
#include <cstdint>

namespace heapledger::runtime {

inline constexpr uint64_t kFilterCounters = 65536;
// Each has so many sampled blocks, or 255, once there were that many.
extern std::atomic<uint8_t> sampled_filter[kFilterCounters] __attribute__((visibility("hidden")));

// Neighbours in memory are neighbours in the filter, so it is as warm as the heap it stands for.
inline uint64_t filter_place(uint64_t address) {
  return (address >> 4 ^ address >> 20) % kFilterCounters;
}

inline bool may_be_sampled(uint64_t address) {
  return sampled_filter[filter_place(address)].load(std::memory_order_relaxed) != 0;
}

// False: no memory for it.
bool add_sampled(uint64_t address);

bool is_sampled(uint64_t address);

// Once. Whether it was there.
bool remove_sampled(uint64_t address);

}  // namespace heapledger::runtime
