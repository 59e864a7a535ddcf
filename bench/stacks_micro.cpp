// What one call stack costs, taken by us and by others, for bench/stacks.
//
//   stacks_micro WAY SHAPE DEPTH THREADS TURNS
//
// WAY is who takes it: none (an empty function), heapledger, libgcc (_Unwind_Backtrace), libunwind
// (unw_backtrace) or glibc (backtrace). SHAPE is how the stacks follow one another:
//
//   hot          the same stack again and again
//   alternating  the innermost 4 frames differ from those of the last stack
//   recursion    a function that calls itself takes one at each level, going in and coming back
//   shifted      every frame is at another place than last time: nothing can be reused
//
// Prints how many stacks each thread took, the nanoseconds of CPU time of one, and how many frames
// it has. The status is 3 where a way is not there.
#include <alloca.h>
#include <arch_caller.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <malloc.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "runtime/bootstrap/recording.h"
#include "runtime/ledger/clock.h"
#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/modes/real_heap.h"
#include "runtime/unwind/site.h"
#include "runtime/unwind/stack_memo.h"

namespace {

using namespace heapledger::runtime;

constexpr int kMaxFrames = 256;
constexpr int kInnermost = 4;

// --- the ways ---

thread_local void* frames[kMaxFrames];
thread_local int frame_count;  // of the last stack
thread_local uint32_t last_site;
thread_local uint64_t entry_time;
thread_local bool counting = true;  // while warming up

__attribute__((noinline)) void take_none() {
  asm volatile("");
}

__attribute__((noinline)) void take_heapledger() {
  CALLER_HERE;
  EntryGuard guard;
  if (!guard) return;
  last_site = site_of(*guard, entry_time, pc, sp, bp);
  if (counting) frame_count = static_cast<int>((*guard).memo->last_count);
}

_Unwind_Reason_Code collect(_Unwind_Context* context, void*) {
  if (frame_count == kMaxFrames) return _URC_END_OF_STACK;
  frames[frame_count++] = reinterpret_cast<void*>(_Unwind_GetIP(context));
  return _URC_NO_REASON;
}

__attribute__((noinline)) void take_libgcc() {
  frame_count = 0;
  _Unwind_Backtrace(collect, nullptr);
}

__attribute__((noinline)) void take_glibc() {
  frame_count = backtrace(frames, kMaxFrames);
}

// Not linked: it would replace libgcc's functions by its own.
int (*unw_backtrace)(void**, int) = nullptr;

__attribute__((noinline)) void take_libunwind() {
  frame_count = unw_backtrace(frames, kMaxFrames);
}

void (*volatile take)() = take_none;

bool begin_ledger(std::string& folder) {
  char pattern[] = "/tmp/heapledger-bench-XXXXXX";
  if (mkdtemp(pattern) == nullptr) return false;
  folder = pattern;
  real_heap = {::malloc,        ::free,     ::calloc, ::realloc, ::posix_memalign,
               ::aligned_alloc, ::memalign, ::valloc, ::pvalloc, ::malloc_usable_size};
  return settings_in_force.out.set((folder + "/stacks.ledger").c_str()) && begin_recording();
}

// False: that way is not there.
bool choose(const std::string& way, std::string& folder) {
  if (way == "heapledger") {
    take = take_heapledger;
    return begin_ledger(folder);
  }
  if (way == "libunwind") {
    void* library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    unw_backtrace = reinterpret_cast<int (*)(void**, int)>(dlsym(library, "unw_backtrace"));
    take = take_libunwind;
    return unw_backtrace != nullptr;
  }
  take = way == "libgcc" ? take_libgcc : way == "glibc" ? take_glibc : take_none;
  return way == "libgcc" || way == "glibc" || way == "none";
}

// --- the shapes: each function takes stacks and returns how many ---

using Leaf = long (*)(long turns);

long take_again(long turns) {
  for (long i = 0; i < turns; ++i) take();
  return turns;
}

template <int kSide, int kLevels>
__attribute__((noinline)) void side() {
  if constexpr (kLevels == 1) {
    take();
  } else {
    side<kSide, kLevels - 1>();
  }
  // No tail call; and the two sides are not taken for one function.
  asm volatile("" ::"i"(kSide) : "memory");
}

long take_alternating(long turns) {
  for (long i = 0; i < turns; i += 2) {
    side<0, kInnermost>();
    side<1, kInnermost>();
  }
  return turns;
}

__attribute__((noinline)) long descend(int levels, Leaf leaf, long turns) {
  long taken = levels <= 1 ? leaf(turns) : descend(levels - 1, leaf, turns);
  asm volatile("" ::: "memory");
  return taken;
}

__attribute__((noinline)) long take_on_the_way(int levels) {
  take();
  long taken = 2;
  if (levels > 1) taken += take_on_the_way(levels - 1);
  take();
  return taken;
}

__attribute__((noinline)) long shift(long turn, int depth) {
  void* room = alloca(static_cast<size_t>(turn & 1) * 64 + 16);
  asm volatile("" ::"r"(room) : "memory");
  return descend(depth - 1, take_again, 1);
}

long run(const std::string& shape, int depth, long turns) {
  if (shape == "hot") return descend(depth - 1, take_again, turns);
  if (shape == "alternating") return descend(depth - kInnermost - 1, take_alternating, turns);
  long taken = 0;
  for (long i = 0; i < turns; ++i) {
    taken += shape == "recursion" ? take_on_the_way(depth) : shift(i, depth);
  }
  return taken;
}

// --- measuring ---

double thread_nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

struct Measured {
  double nanoseconds = 0;
  long taken = 0;
  int frames = 0;
};

void measure(const std::string& shape, int depth, long turns, std::atomic<int>& ready,
             Measured& result) {
  entry_time = now_units();
  run(shape, depth, turns / 10 + 2);  // caches
  result.frames = frame_count;
  counting = false;
  for (--ready; ready > 0;) std::this_thread::yield();
  double before = thread_nanoseconds();
  result.taken = run(shape, depth, turns);
  result.nanoseconds = thread_nanoseconds() - before;
}

int usage() {
  fprintf(stderr,
          "usage: stacks_micro none|heapledger|libgcc|libunwind|glibc "
          "hot|alternating|recursion|shifted DEPTH THREADS TURNS\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return usage();
  std::string shape = argv[2];
  int depth = atoi(argv[3]);
  int threads = atoi(argv[4]);
  long turns = atol(argv[5]);
  bool known =
      shape == "hot" || shape == "alternating" || shape == "recursion" || shape == "shifted";
  if (!known || depth < kInnermost + 2 || threads < 1 || turns < 2) return usage();
  std::string folder;
  if (!choose(argv[1], folder)) return 3;

  std::atomic<int> ready{threads};
  std::vector<Measured> results(static_cast<size_t>(threads));
  std::vector<std::thread> workers;
  for (Measured& result : results) {
    workers.emplace_back([&] { measure(shape, depth, turns, ready, result); });
  }
  for (std::thread& worker : workers) worker.join();
  if (!folder.empty()) {
    unlink((folder + "/stacks.ledger").c_str());
    rmdir(folder.c_str());
  }
  double nanoseconds = 0;
  double taken = 0;
  for (const Measured& result : results) {
    nanoseconds += result.nanoseconds;
    taken += static_cast<double>(result.taken);
  }
  printf("%ld %.3f %d\n", results[0].taken, nanoseconds / taken, results[0].frames);
  return 0;
}
