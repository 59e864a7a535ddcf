// The time stamp counter, as the recorder will use it.
#include <cpuid.h>
#include <time.h>

#include <algorithm>
#include <cstdint>

#include "cli/doctor/checks.h"

namespace heapledger::cli::doctor {
namespace {

constexpr uint64_t kMeasuredNs = 10'000'000;
constexpr int kReadings = 2000;
constexpr int kRounds = 5;

uint64_t kernel_ns() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// CPUID 80000007h, "invariant TSC".
bool is_steady() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
}

double measure_tick() {
  const uint64_t start_ns = kernel_ns();
  const uint64_t start = __builtin_ia32_rdtsc();
  uint64_t now_ns = start_ns;
  while (now_ns - start_ns < kMeasuredNs) now_ns = kernel_ns();
  const uint64_t ticks = __builtin_ia32_rdtsc() - start;
  return ticks == 0 ? 0 : static_cast<double>(now_ns - start_ns) / static_cast<double>(ticks);
}

// The best of a few rounds: what disturbs only ever adds.
template <typename Read>
double measure_reading(Read read) {
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t start = kernel_ns();
    for (int i = 0; i < kReadings; ++i) {
      [[maybe_unused]] volatile uint64_t value = read();
    }
    best = std::min(best, static_cast<double>(kernel_ns() - start) / kReadings);
  }
  return best;
}

}  // namespace

ClockFacts measure_clock() {
  ClockFacts facts;
  facts.steady = is_steady();
  facts.ns_per_tick = measure_tick();
  facts.ns_per_reading =
      measure_reading([] { return static_cast<uint64_t>(__builtin_ia32_rdtsc()); });
  facts.ns_per_kernel_reading = measure_reading(kernel_ns);
  return facts;
}

}  // namespace heapledger::cli::doctor
