// Frames without unwind information, mostly JIT code: walked by the frame pointers, if those lead
// through a chain that checks out to code that has unwind information. Else not at all.
#include <arch_call.h>
#include <arch_registers.h>

#include "runtime/unwind/modules.h"
#include "runtime/unwind/walker.h"

namespace heapledger::runtime {
namespace {

constexpr uint32_t kMaxChain = 64;
// Frames larger than this are not searched, and so not trusted.
constexpr uint64_t kMaxFrameBytes = 16 * 1024;

// Whether `value` is a return address in code that has unwind information.
bool is_known_return(uint64_t value) {
  if (!may_be_code(value)) return false;
  CfiModule module;
  CfiFunction function;
  if (!cfi_module_at(value - 1, module) || !find_cfi(module, value - 1, function)) return false;
  return arch::ends_with_call(reinterpret_cast<const unsigned char*>(function.begin),
                              reinterpret_cast<const unsigned char*>(value));
}

// Code that does not keep frame pointers leaves that of a caller further out. Then the way back to
// callers in between is below it: if there is one, the frame pointer is not this frame's.
bool skips_a_caller(const FrameState& state, StackReader& stack) {
  if (state.bp - state.sp > kMaxFrameBytes) return true;
  for (uint64_t at = state.sp; at < state.bp; at += 8) {
    uint64_t value;
    if (!stack.read(at, value)) return true;
    bool on_stack = value - stack.low() < stack.high() - stack.low();  // no code there
    if (!on_stack && is_known_return(value)) return true;
  }
  return false;
}

// The frame that the frame pointer leads to, if it is further out.
bool follow(const FrameState& state, StackReader& stack, FrameState& next) {
  if (state.bp < state.sp || !stack.read(state.bp, next.bp) ||
      !stack.read(state.bp + arch::kFrameReturn, next.pc)) {
    return false;
  }
  next.sp = state.bp + arch::kFrameBytes;
  return may_be_code(next.pc);
}

// The frames from `state` to the first known one; 0 if the chain does not get there.
uint32_t chain_length(FrameState state, StackReader& stack, FrameChain& chain) {
  for (uint32_t links = 1; links <= kMaxChain; ++links) {
    FrameState next;
    if (!follow(state, stack, next) || skips_a_caller(state, stack)) return 0;
    if (is_known_return(next.pc)) {
      chain.last_slot = state.bp + arch::kFrameReturn;
      chain.last_return = next.pc;
      return links;
    }
    if (next.bp < next.sp) return 0;
    state = next;
  }
  return 0;
}

// Whether this walk has been through the chain already.
bool is_on_chain(const FrameState& state, StackReader& stack, const FrameChain& chain) {
  uint64_t value;
  return chain.left > 0 && chain.pc == state.pc && chain.sp == state.sp && chain.bp == state.bp &&
         stack.read(chain.last_slot, value) && value == chain.last_return;
}

}  // namespace

Step step_by_frame_pointer(FrameState& state, StackReader& stack, CfiScratch& scratch) {
  FrameChain& chain = scratch.chain;
  if (!is_on_chain(state, stack, chain)) chain.left = chain_length(state, stack, chain);
  FrameState next;
  if (chain.left == 0 || !follow(state, stack, next)) {
    chain.left = 0;
    return Step::kCut;
  }
  state = next;
  chain.pc = next.pc;
  chain.sp = next.sp;
  chain.bp = next.bp;
  --chain.left;
  return Step::kCaller;
}

}  // namespace heapledger::runtime
