// Reads the stack, and only what is known to be mapped.
//
// A range is known either because it is the thread's own stack (from the stack pointer up to its
// top nothing can go away while the thread runs on it), or because each page was tried during
// this very walk. Everything else is refused.
#pragma once

#include <cstdint>

namespace heapledger::runtime {

class StackReader {
 public:
  // [low, high) may be read. Beyond `high`, pages are tried one after the other if `may_probe`.
  StackReader(uint64_t low, uint64_t high, bool may_probe)
      : low_(low), high_(high), may_probe_(may_probe) {}

  // Whether the word at `at` is known to be readable as it is.
  __attribute__((always_inline)) bool covers(uint64_t at) const {
    // One comparison for both bounds: below low_ the difference wraps around.
    return (at - low_ <= high_ - low_ - 8) & ((at & 7) == 0);
  }

  __attribute__((always_inline)) bool read(uint64_t at, uint64_t& value) {
    if (__builtin_expect(!covers(at), 0) && !grow_to(at)) return false;
    value = *reinterpret_cast<const uint64_t*>(at);
    return true;
  }

  uint64_t low() const { return low_; }
  uint64_t high() const { return high_; }

 private:
  bool grow_to(uint64_t at);

  uint64_t low_;
  uint64_t high_;
  bool may_probe_;
};

}  // namespace heapledger::runtime
