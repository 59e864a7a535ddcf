// What is kept too long, comes too soon, or comes again and again: patterns that have to do with
// time. They follow the clock for two seconds, so that a machine that is busy shifts little.
#include <chrono>
#include <cstdlib>
#include <thread>

#include "cache.h"

namespace {

volatile char sink;
void* volatile leaked;

void use(void* block) {
  sink = *static_cast<volatile char*>(block) = 1;
}

// 8 KiB in each of 40 rounds, which nobody frees.
__attribute__((noinline)) void leak() {
  leaked = std::malloc(8192);  // at leak
  use(leaked);
}

// 60 pictures, with something else after each of them.
__attribute__((noinline)) void draw() {
  void* label = std::malloc(100);
  for (int i = 0; i < 60; ++i) {
    void* picture = std::malloc(200'000);  // at draw
    use(picture);
    std::free(label);
    label = std::malloc(100);
    std::free(picture);
  }
  std::free(label);
}

}  // namespace

int main() {
  const auto start = std::chrono::steady_clock::now();
  Cache cache;
  for (int round = 0; round < 40; ++round) {
    std::this_thread::sleep_until(start + std::chrono::milliseconds(50 * (round + 1)));
    leak();
    if (round == 5) {
      void* most = std::malloc(3 << 20);
      use(most);
      std::free(most);
    }
    if (round == 20) draw();
    if (round == 38) cache.insert();
  }
  return 0;
}
