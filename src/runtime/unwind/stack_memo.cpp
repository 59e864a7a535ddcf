#include "runtime/unwind/stack_memo.h"

#include "runtime/os/os.h"

namespace heapledger::runtime {

constinit uint32_t depth_limit = 256;
constinit std::atomic<uint32_t> code_epoch{0};

StackMemo* new_memo() {
  size_t frames_bytes = sizeof(MemoFrame) * depth_limit;
  size_t reference_bytes = sizeof(uint64_t) * depth_limit;
  void* memory = os::map_private(sizeof(StackMemo) + 2 * frames_bytes + reference_bytes);
  if (memory == nullptr) return nullptr;
  auto* memo = static_cast<StackMemo*>(memory);
  memo->capacity = depth_limit;
  memo->frames = reinterpret_cast<MemoFrame*>(memo + 1);
  memo->fresh = memo->frames + depth_limit;
  memo->fresh_end = memo->fresh + depth_limit;
  memo->reference = reinterpret_cast<uint64_t*>(memo->fresh_end);
  reset_memo(*memo);
  return memo;
}

void reset_memo(StackMemo& memo) {
  memo.own.reset();
  memo.count = 0;
  memo.epoch = code_epoch.load(std::memory_order_acquire);
}

}  // namespace heapledger::runtime
