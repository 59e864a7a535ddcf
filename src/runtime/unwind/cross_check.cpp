#include "runtime/unwind/cross_check.h"

#include <atomic>

#include "runtime/unwind/loader_lookup.h"
#include "runtime/unwind/modules.h"

namespace heapledger::runtime {

constinit uint32_t cross_check_every = 0;

namespace {

constexpr uint32_t kMaxExamples = 64;

constinit Reference cross_reference;
constinit std::atomic<uint32_t> turn{0};
constinit std::atomic<uint32_t> examples{0};

// What the reference says, the innermost frame first, beginning with the hook's caller.
struct Collected {
  uint64_t from_sp;
  uint32_t count;
  uint32_t capacity;
  bool begun;
  bool full;
  uint64_t* pcs;
};

_Unwind_Reason_Code collect(_Unwind_Context* context, void* argument) {
  auto& collected = *static_cast<Collected*>(argument);
  int before = 0;
  uint64_t pc = cross_reference.ip_info(context, &before) + (before != 0 ? 1u : 0u);
  // libgcc's CFA of a context is the stack pointer in that frame, as ours is.
  if (!collected.begun && cross_reference.cfa(context) < collected.from_sp) return _URC_NO_REASON;
  collected.begun = true;
  if (pc <= 1) return _URC_END_OF_STACK;  // libgcc also reports the nothing outside the outermost
  if (collected.count == collected.capacity) {
    collected.full = true;
    return _URC_END_OF_STACK;
  }
  collected.pcs[collected.count++] = pc;
  return _URC_NO_REASON;
}

// The reference needs an .eh_frame_hdr: it ends where there is none (JIT code, and modules linked
// without), while we may go on.
bool must_end_at(uint64_t pc) {
  CfiModule module;
  CfiFunction function;
  return !cfi_module_at(pc - 1, module) || module.header == 0 ||
         !find_cfi(module, pc - 1, function);
}

bool same(const MemoFrame* frames, uint32_t count, const Collected& collected) {
  if (count < collected.count) return false;
  for (uint32_t i = 0; i < collected.count; ++i) {
    if (frames[count - 1 - i].pc != collected.pcs[i]) return false;
  }
  return count == collected.count ||
         (collected.count > 0 && must_end_at(collected.pcs[collected.count - 1]));
}

void enter_example(Window& window, const MemoFrame* frames, uint32_t count,
                   const Collected& collected, uint64_t time) {
  uint32_t shown = count < 256 ? count : 256;
  uint32_t expected = collected.count < 256 ? collected.count : 256;
  if (!room_for(window, (shown + expected + 4) * format::kMaxVarintBytes)) return;
  format::LongEntry entry(window.encoder, format::Kind::kCrossCheck, time);
  entry.number(shown).number(expected);
  for (uint32_t i = 0; i < shown; ++i) entry.number(frames[count - 1 - i].pc);
  for (uint32_t i = 0; i < expected; ++i) entry.number(collected.pcs[i]);
  entry.finish();
}

_Unwind_Reason_Code stop_at_once(_Unwind_Context*, void*) {
  return _URC_END_OF_STACK;
}

}  // namespace

void prepare_cross_check() {
  if (cross_check_every == 0) return;
  Reference found = find_reference();
  if (!found.whole()) {
    cross_check_every = 0;
    return;
  }
  found.backtrace(stop_at_once, nullptr);  // its first call may allocate, under a lock of its own
  cross_reference = found;
}

void cross_check(Window& window, StackMemo& memo, uint32_t count, uint64_t sp, uint64_t time) {
  const MemoFrame* frames = memo.frames();
  if (cross_reference.backtrace == nullptr ||
      turn.fetch_add(1, std::memory_order_relaxed) % cross_check_every != 0) {
    return;
  }
  // Of a stack that is cut, the frames that were kept.
  uint32_t most = memo.end == StackEnd::kDepth ? count : memo.capacity;
  Collected collected = {sp, 0, most, false, false, memo.reference};
  cross_reference.backtrace(collect, &collected);
  format::FileHeader& header = *ledger_header();
  std::atomic_ref<uint64_t>(header.stacks_checked).fetch_add(1, std::memory_order_relaxed);
  if (same(frames, count, collected)) return;
  std::atomic_ref<uint64_t>(header.stacks_differing).fetch_add(1, std::memory_order_relaxed);
  if (examples.fetch_add(1, std::memory_order_relaxed) < kMaxExamples) {
    enter_example(window, frames, count, collected, time);
  }
}

}  // namespace heapledger::runtime
