// Which calls sample mode enters: each thread counts down to its next one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/modes/sample_random.h"

namespace heapledger::runtime {

// What a thread knows of its own samples. Zero until its first call.
struct Sampler {
  uint64_t left;           // the next sample is where the calls so far reach this
  uint64_t drawn;          // what `left` was at the last sample
  const void* last_block;  // that sample's block, while this thread has entered nothing else
  uint64_t random;         // state of its generator
  uint64_t clock_ns;       // weigh=time: since when its time goes to the next sample
  uint64_t mean_asked;     // what `mean` was computed from
  Wide mean;
  bool begun;
};
extern __thread Sampler sampler __attribute__((tls_model("initial-exec")));

enum class By { kBytes, kCalls };

// How far a call counts down. A block of no bytes counts as one, or it could never be chosen.
template <By by>
uint64_t step_of(size_t size) {
  return by == By::kCalls ? 1 : size + (size == 0 ? 1 : 0);
}

// The hot path: true for a call that is not sampled. Nothing is changed where it is false. (A
// handler that comes in between may have its own step undone: the choice stays a random one.)
__attribute__((always_inline)) inline bool passes(uint64_t step) {
  uint64_t left = sampler.left;
  if (__builtin_expect(step >= left, 0)) return false;
  sampler.left = left - step;
  return true;
}

// A call that did not pass: whether it is to be entered. No, when the thread has only just begun
// to count, and did not come to its first sample at once.
template <By by>
bool chosen(uint64_t step);

// The distance to the next sample.
template <By by>
void draw();

// Not when recording has ended for good: then no clock may be read any more, as a strict system
// call filter forbids even that, nor while that is being decided. (A forked child has not begun
// yet.)
bool can_record();

uint64_t now_ns();

}  // namespace heapledger::runtime
