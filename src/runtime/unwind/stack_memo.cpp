#include "runtime/unwind/stack_memo.h"

#include <cstring>

#include "runtime/os/os.h"

namespace heapledger::runtime {

constinit uint32_t depth_limit = 256;
constinit std::atomic<uint32_t> code_epoch{0};

namespace {

// Memory that is handed out piece by piece.
class Pieces {
 public:
  explicit Pieces(void* memory) : at_(reinterpret_cast<uintptr_t>(memory)) {}
  template <typename T>
  T* take(size_t count) {
    auto* piece = reinterpret_cast<T*>(at_);
    at_ += (sizeof(T) * count + 63) & ~size_t{63};
    return piece;
  }
  size_t taken() const { return at_; }  // of no memory: how much is needed

 private:
  uintptr_t at_;
};

StackMemo* lay_out(Pieces& pieces) {
  size_t depth = depth_limit;
  auto* memo = pieces.take<StackMemo>(1);
  auto* outside = pieces.take<MemoFrame>(StackMemo::kStride + depth);
  auto* root = pieces.take<SitePath>(1 + depth);
  auto* needs = pieces.take<uint8_t>(depth);
  auto* values = pieces.take<uint64_t>(depth);
  auto* checks = pieces.take<PointerCheck>(depth);
  auto* fresh = pieces.take<MemoFrame>(depth);
  auto* fresh_pointers = pieces.take<FramePointer>(depth);
  auto* reference = pieces.take<uint64_t>(depth);
  if (memo == nullptr) return nullptr;
  memo->capacity = depth_limit;
  memo->frames = outside + StackMemo::kStride;
  memo->sites = root + 1;
  memo->needs = needs;
  memo->values = values;
  memo->checks = checks;
  memo->fresh = fresh;
  memo->fresh_pointers = fresh_pointers;
  memo->reference = reference;
  for (uint32_t i = 0; i < StackMemo::kStride; ++i) outside[i].slot = &outside[i].pc;
  return memo;
}

}  // namespace

StackMemo* new_memo() {
  Pieces measure(nullptr);
  lay_out(measure);
  void* memory = os::map_private(measure.taken());
  if (memory == nullptr) return nullptr;
  Pieces pieces(memory);
  StackMemo* memo = lay_out(pieces);
  reset_memo(*memo);
  return memo;
}

void reset_memo(StackMemo& memo) {
  memo.own.reset();
  enter_epoch(memo, code_epoch.load(std::memory_order_acquire));
}

void enter_epoch(StackMemo& memo, uint32_t epoch) {
  bool keys_repeat = epoch >> 16 != memo.epoch >> 16;
  memo.epoch = epoch;
  memo.count = 0;
  memo.check_count = 0;
  if (!keys_repeat) return;
  memset(memo.recent_rows, 0, sizeof memo.recent_rows);
  memset(memo.recent_sites, 0, sizeof memo.recent_sites);
}

}  // namespace heapledger::runtime
