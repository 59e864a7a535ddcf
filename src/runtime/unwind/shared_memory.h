// Memory for tables that grow while threads use them: the first thread to provide it wins, and it
// stays for the life of the process.
#pragma once

#include <atomic>
#include <cstddef>

#include "runtime/ledger/file.h"
#include "runtime/os/os.h"

namespace heapledger::runtime {

// What `place` points to, provided now if need be: zeroed, `bytes` long. Null: no memory, or
// a system call filter forbids asking for it. What is large is only there in programs that use much
// of it; of what every program has, it is all but the first `small` bytes.
template <typename T>
T* provide(std::atomic<T*>& place, size_t bytes, size_t small = 0) {
  T* present = place.load(std::memory_order_acquire);
  if (present != nullptr || filter_expected()) return present;
  auto* fresh = static_cast<T*>(os::map_private(bytes));
  if (fresh == nullptr) return nullptr;
  if (bytes - small >= os::kLargePageBytes) {
    os::prefer_large_pages(reinterpret_cast<char*>(fresh) + small, bytes - small);
  }
  if (place.compare_exchange_strong(present, fresh, std::memory_order_acq_rel)) return fresh;
  os::unmap(fresh, bytes);
  return present;
}

// After a fork, before there are other threads: gives the memory back.
template <typename T>
void drop(std::atomic<T*>& place, size_t bytes) {
  T* present = place.exchange(nullptr, std::memory_order_relaxed);
  if (present != nullptr) os::unmap(present, bytes);
}

// The same, of what stays mapped: zeroed, as if it had just been provided.
template <typename T>
void empty(std::atomic<T*>& place, size_t bytes) {
  T* present = place.load(std::memory_order_relaxed);
  if (present != nullptr) os::discard(present, bytes);
}

}  // namespace heapledger::runtime
