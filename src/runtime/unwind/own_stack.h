// Which part of memory is the calling thread's own stack: what lies between the stack pointer and
// its top cannot go away while the thread runs on it.
#pragma once

#include <bit>
#include <cstdint>

namespace heapledger::runtime {

class OwnStack {
 public:
  // Whether everything in [sp, high()) is known to be mapped and readable. Learns as it is asked;
  // false for a fiber's or a signal handler's stack.
  bool covers(uint64_t sp) { return knows(sp) || learn(sp); }
  // The same, of what is known already.
  __attribute__((always_inline)) bool knows(uint64_t sp) const { return sp - low_ < high_ - low_; }
  // The same of a stack pointer that is a multiple of a word: only there are slots where rows say.
  // Of a stack that was ever deeper than that, no more is known in this way.
  static constexpr uint64_t kMostKnownBytes = uint64_t{1} << 31;
  __attribute__((always_inline)) bool knows_word(uint64_t sp) const {
    return std::rotr(sp - low_, 3) < words_;
  }
  uint64_t high() const { return high_; }

  // For a new thread.
  void reset() { *this = OwnStack(); }

 private:
  bool learn(uint64_t sp);
  bool learn_more(uint64_t sp);
  bool learn_first(uint64_t sp);
  bool extend_down(uint64_t sp);

  uint64_t low_ = 0;  // [low_, high_) is known
  uint64_t high_ = 0;
  uint64_t words_ = 0;  // in there
  uint64_t gap_ = 0;    // a page that could not be read: the stack does not extend past it
};

}  // namespace heapledger::runtime
