#include "runtime/os/own_memory.h"

#include <atomic>

#include "runtime/os/os.h"

namespace heapledger::runtime::os {
namespace {

constexpr unsigned kOwnMappings = 512;
constexpr uintptr_t kTaken = 1;  // no mapping begins there

struct OwnMemory {
  struct Place {
    std::atomic<uintptr_t> start{0};
    std::atomic<size_t> bytes{0};
    std::atomic<size_t> resident{0};  // as last counted
  };
  std::atomic<unsigned> used{0};  // places from here on were never taken
  Place places[kOwnMappings];
};
constinit OwnMemory own_memory = {};

template <typename Use>
void for_each_place(Use use) {
  unsigned used = own_memory.used.load(std::memory_order_acquire);
  for (unsigned i = 0; i < used; ++i) use(own_memory.places[i]);
}

}  // namespace

void* remember_own(void* at, size_t bytes) {
  for (unsigned i = 0; i < kOwnMappings; ++i) {
    OwnMemory::Place& place = own_memory.places[i];
    uintptr_t none = 0;
    if (!place.start.compare_exchange_strong(none, kTaken, std::memory_order_acq_rel)) continue;
    place.bytes.store(bytes, std::memory_order_relaxed);
    place.resident.store(0, std::memory_order_relaxed);
    place.start.store(reinterpret_cast<uintptr_t>(at), std::memory_order_release);
    unsigned used = own_memory.used.load(std::memory_order_relaxed);
    while (used <= i && !own_memory.used.compare_exchange_weak(used, i + 1)) {
    }
    break;
  }
  return at;
}

// Of a mapping that is given back in parts either end goes; a hole in its middle is not seen.
void forget_own(uintptr_t at, size_t bytes) {
  for_each_place([at, bytes](OwnMemory::Place& place) {
    uintptr_t start = place.start.load(std::memory_order_acquire);
    size_t length = place.bytes.load(std::memory_order_relaxed);
    if (start <= kTaken || at >= start + length || at + bytes <= start) return;
    if (at <= start && at + bytes >= start + length) {
      place.start.store(0, std::memory_order_release);
    } else if (at <= start) {
      place.bytes.store(start + length - (at + bytes), std::memory_order_relaxed);
      place.start.store(at + bytes, std::memory_order_release);
    } else if (at + bytes >= start + length) {
      place.bytes.store(at - start, std::memory_order_relaxed);
    }
  });
}

void count_own(size_t (*count)(uintptr_t at, size_t bytes, int how), int how) {
  for_each_place([count, how](OwnMemory::Place& place) {
    uintptr_t start = place.start.load(std::memory_order_acquire);
    if (start <= kTaken) return;
    size_t bytes = place.bytes.load(std::memory_order_relaxed);
    place.resident.store(count(start, bytes, how), std::memory_order_relaxed);
  });
}

OwnPart own_part(uintptr_t start, uintptr_t end) {
  const size_t page = page_bytes();
  OwnPart part;
  for_each_place([&](const OwnMemory::Place& place) {
    uintptr_t from = place.start.load(std::memory_order_acquire);
    if (from <= kTaken || from < start || from >= end) return;
    part.bytes += (place.bytes.load(std::memory_order_relaxed) + page - 1) / page * page;
    part.resident += place.resident.load(std::memory_order_relaxed);
  });
  return part;
}

}  // namespace heapledger::runtime::os
