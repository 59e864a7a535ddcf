#include "runtime/unwind/unloading.h"

#include "runtime/os/together.h"
#include "runtime/unwind/stack_memo.h"

namespace heapledger::runtime {

HEAPLEDGER_TOGETHER constinit std::atomic<uint32_t> unloads_under_way{0};

namespace {

// Counts forks: an unload that the child's only thread is in the middle of ends uncounted there.
HEAPLEDGER_TOGETHER constinit std::atomic<uint32_t> processes{0};

}  // namespace

Unloading::Unloading() : process_(processes.load(std::memory_order_relaxed)) {
  // In this order: who sees the new epoch sees the unload.
  unloads_under_way.fetch_add(1, std::memory_order_relaxed);
  before_ = code_epoch.load(std::memory_order_relaxed);
  own_ = new_epoch_number();
  while (!code_epoch.compare_exchange_weak(before_, own_, std::memory_order_acq_rel)) {
  }
}

Unloading::~Unloading() {
  if (process_ != processes.load(std::memory_order_relaxed)) return;
  // Had anything gone, another epoch would have begun. Memos are wiped when the upper half changes:
  // not on every dlclose from then on.
  uint32_t own = own_;
  if (own >> 16 == before_ >> 16) {
    code_epoch.compare_exchange_strong(own, before_, std::memory_order_acq_rel);
  }
  unloads_under_way.fetch_sub(1, std::memory_order_release);
}

void forget_unloads() {
  processes.fetch_add(1, std::memory_order_relaxed);
  unloads_under_way.store(0, std::memory_order_relaxed);
}

}  // namespace heapledger::runtime
