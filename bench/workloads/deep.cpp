// Stacks of FRAMES calls that stay where they are, and a short recursion inside them that takes
// blocks and gives them back: with 2,560 frames, ten times as deep as the limit.
//
//   deep THOUSANDS [FRAMES]

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

uint64_t state = 1;

// So that a call stays one, with a frame of its own.
uint64_t kept(uint64_t value) {
  asm volatile("" : "+r"(value));
  return value;
}

__attribute__((noinline)) uint64_t work(uint64_t times) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < times; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    auto* block = static_cast<volatile unsigned char*>(std::malloc(16 + (state >> 56)));
    *block = static_cast<unsigned char>(i);
    sum += *block;
    std::free(const_cast<unsigned char*>(block));
  }
  return sum;
}

__attribute__((noinline)) uint64_t descend(unsigned frames, uint64_t times) {
  if (frames == 0) return work(times);
  return kept(descend(frames - 1, times));
}

// A few frames more or less each time, as a real recursion has.
__attribute__((noinline)) uint64_t recurse(unsigned frames, uint64_t times) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < times; i += 10)
    sum += descend(frames + static_cast<unsigned>(i / 10 % 3), 10);
  return sum;
}

__attribute__((noinline)) uint64_t stay(unsigned frames, uint64_t times) {
  if (frames == 0) return recurse(8, times);
  return kept(stay(frames - 1, times));
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: deep THOUSANDS [FRAMES]\n");
    return 2;
  }
  uint64_t times = std::strtoull(words[1], nullptr, 10) * 1000;
  auto frames = static_cast<unsigned>(count > 2 ? std::strtoul(words[2], nullptr, 10) : 2560);
  std::printf("%llu\n", static_cast<unsigned long long>(stay(frames, times)));
}
