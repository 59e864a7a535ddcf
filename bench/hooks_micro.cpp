// Microbenchmarks of the heap calls themselves, to be run natively and with the runtime preloaded
// (bench/micro does both). The counter "calls" says how many heap calls one turn makes.

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <cstdlib>

namespace {

void set_calls(benchmark::State& state, double calls) {
  state.counters["calls"] = benchmark::Counter(calls, benchmark::Counter::kAvgThreads);
}

// The thread cache's best case: the block just freed is handed out again.
void pair(benchmark::State& state) {
  const auto size = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    void* block = std::malloc(size);
    benchmark::DoNotOptimize(block);
    std::free(block);
  }
  set_calls(state, 2);
}

// Many blocks alive at once, freed in the order in which they came.
void batch(benchmark::State& state) {
  const auto size = static_cast<size_t>(state.range(0));
  std::array<void*, 1000> blocks;
  for (auto _ : state) {
    for (void*& block : blocks) block = std::malloc(size);
    benchmark::ClobberMemory();
    for (void* block : blocks) std::free(block);
  }
  set_calls(state, 2.0 * blocks.size());
}

// Sizes and lifetimes that jump about, as in a program with many kinds of objects.
void mixed(benchmark::State& state) {
  std::array<void*, 512> blocks{};
  uint64_t dice = 1;
  for (auto _ : state) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    void*& block = blocks[dice >> 55];
    std::free(block);
    block = std::malloc(8 + (dice >> 40) % 500);
    benchmark::DoNotOptimize(block);
  }
  for (void* block : blocks) std::free(block);
  set_calls(state, 2);
}

// A growing buffer, doubled from 16 bytes to 64 KiB.
void realloc_growth(benchmark::State& state) {
  double calls = 0;
  for (auto _ : state) {
    void* block = nullptr;
    calls = 1;
    for (size_t size = 16; size <= 65536; size *= 2, ++calls) {
      void* grown = std::realloc(block, size);
      if (grown == nullptr) std::abort();
      block = grown;
      benchmark::DoNotOptimize(block);
    }
    std::free(block);
  }
  set_calls(state, calls);
}

BENCHMARK(pair)->Arg(16)->Arg(64)->Arg(256)->Arg(1024)->Arg(16384)->ThreadRange(1, 4);
BENCHMARK(batch)->Arg(16)->Arg(64)->Arg(256)->Arg(1024)->ThreadRange(1, 4);
BENCHMARK(mixed)->ThreadRange(1, 4);
BENCHMARK(realloc_growth)->ThreadRange(1, 4);

}  // namespace

BENCHMARK_MAIN();
