// Heap calls in a loop written by hand, for bench/replay: what the replay of this program's ledger
// says about the time in the allocator is compared with what this program measures itself. The
// steps lie ready in mapped memory; the loop is timed whole, once with functions that do nothing
// and once with the allocator's, and the difference is its time.
//
//   replay_loop PATTERN STEPS      PATTERN: mixed, queue or nested
//
// Prints the nanoseconds a call in the allocator; "calls" before them is their number.
#include <sys/mman.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

struct Step {
  uint32_t slot;
  uint32_t size;
};

constexpr uint32_t kSlots = 4096;

uint64_t g_random = 0x9E3779B97F4A7C15ull;
uint64_t next_random() {
  g_random ^= g_random << 13;
  g_random ^= g_random >> 7;
  g_random ^= g_random << 17;
  return g_random;
}

// Mostly small, now and then a few kilobytes.
uint32_t some_size() {
  const uint64_t random = next_random();
  if (random % 64 == 0) return static_cast<uint32_t>(1024 + (random >> 8) % 7168);
  return static_cast<uint32_t>(16 + (random >> 8) % 240);
}

void* mapped(size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("replay_loop: mmap");
    std::exit(1);
  }
  return memory;
}

// A step allocates when its slot is empty, and frees what is there when it is not.
void make_steps(const char* pattern, Step* steps, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t slot;
    if (std::strcmp(pattern, "mixed") == 0) {  // any block is freed at any time
      slot = static_cast<uint32_t>(next_random() % kSlots);
    } else if (std::strcmp(pattern, "queue") == 0) {  // the oldest first: 256 at a time
      slot = static_cast<uint32_t>((i / 512 * 256 + i % 256) % kSlots);
    } else {  // the newest first: 32 deep
      const auto within = static_cast<uint32_t>(i % 64);
      slot = within < 32 ? within : 63 - within;
    }
    steps[i] = {slot, some_size()};
  }
}

using Allocate = void* (*)(size_t);
using Release = void (*)(void*);

__attribute__((noinline)) void* allocate_nothing(size_t) {
  static char nothing;
  return &nothing;
}
__attribute__((noinline)) void release_nothing(void*) {
  asm volatile("");
}

double seconds_of(clockid_t clock) {
  timespec now;
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

__attribute__((noinline)) double loop(const Step* steps, uint64_t count, void** slots,
                                      Allocate allocate, Release release) {
  const double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  for (uint64_t i = 0; i < count; ++i) {
    void*& slot = slots[steps[i].slot];
    if (slot == nullptr) {
      slot = allocate(steps[i].size);
    } else {
      release(slot);
      slot = nullptr;
    }
  }
  return seconds_of(CLOCK_THREAD_CPUTIME_ID) - start;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: replay_loop mixed|queue|nested STEPS\n");
    return 2;
  }
  const uint64_t count = std::strtoull(argv[2], nullptr, 10);
  auto* steps = static_cast<Step*>(mapped(count * sizeof(Step)));
  auto** slots = static_cast<void**>(mapped(kSlots * sizeof(void*)));
  make_steps(argv[1], steps, count);

  loop(steps, count, slots, allocate_nothing, release_nothing);  // so that everything is warm
  std::memset(slots, 0, kSlots * sizeof(void*));
  const double without = loop(steps, count, slots, allocate_nothing, release_nothing);
  std::memset(slots, 0, kSlots * sizeof(void*));
  const double with = loop(steps, count, slots, std::malloc, std::free);

  char text[128];
  const int length = std::snprintf(text, sizeof text, "calls %" PRIu64 " ns %.3f\n", count,
                                   (with - without) / static_cast<double>(count) * 1e9);
  return std::fwrite(text, 1, static_cast<size_t>(length), stdout) == static_cast<size_t>(length)
             ? 0
             : 1;
}
