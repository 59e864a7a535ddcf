// Unloads that are under way. Between the moment when the loader gives a module's memory back and
// the moment when we hear of it, another thread may load another module there and run its code. So
// while any dlclose is under way, what is known about code that can be unloaded is compared with
// the loader's own answer before it is used, and no thread keeps it at hand.
//
// Costs nothing while there is none: a dlclose begins with a new epoch of code, so every thread
// comes by the slow ways that ask is_unloading(). Many a dlclose unloads nothing; after such a one
// the epoch before goes on, and with it what threads have at hand.
#pragma once

#include <atomic>
#include <cstdint>

namespace heapledger::runtime {

extern std::atomic<uint32_t> unloads_under_way __attribute__((visibility("hidden")));

// Who runs code that took another's place was told so by the loader after that other's dlclose
// began, and so sees it here.
inline bool is_unloading() {
  return __builtin_expect(unloads_under_way.load(std::memory_order_acquire) != 0, 0);
}

// Around a dlclose and the comparison of modules that follows it.
class Unloading {
 public:
  Unloading();
  ~Unloading();
  Unloading(const Unloading&) = delete;
  Unloading& operator=(const Unloading&) = delete;

 private:
  uint32_t process_;
  uint32_t before_;  // epochs
  uint32_t own_;
};

// After a fork: other threads' unloads do not go on in the child.
void forget_unloads();

}  // namespace heapledger::runtime
