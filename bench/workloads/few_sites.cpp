// Allocation-bound and small: a queue of blocks of many sizes, from a handful of sites.
//
//   few_sites MILLIONS

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

int main(int count, char** words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: few_sites MILLIONS\n");
    return 2;
  }
  constexpr size_t kLive = 4096;
  std::vector<unsigned char*> blocks(kLive, nullptr);
  uint64_t state = 1;
  uint64_t sum = 0;
  for (uint64_t left = std::strtoull(words[1], nullptr, 10) * 1'000'000; left > 0; --left) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    unsigned char*& block = blocks[(state >> 33) % kLive];
    if (block != nullptr) {
      sum += *block;
      std::free(block);
    }
    size_t size = 16 + (state >> 50) % 240;
    block = static_cast<unsigned char*>(left % 2 == 0 ? std::malloc(size) : std::calloc(1, size));
    *block = static_cast<unsigned char>(left);
  }
  for (unsigned char* block : blocks) std::free(block);
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
}
