#include "runtime/unwind/full_walk.h"

#include <arch_capture.h>

namespace heapledger::runtime {
namespace {

constexpr uint64_t kPageBytes = 4096;

StackReader reader_at(OwnStack& own, uint64_t sp) {
  bool covered = own.covers(sp);
  return {sp & ~uint64_t{7}, covered ? own.high() : (sp / kPageBytes + 1) * kPageBytes, !covered};
}

}  // namespace

__attribute__((noinline)) FullWalk walk_fully(StackMemo& memo, uint64_t sp) {
  Registers& registers = memo.scratch.registers;
  registers.known = arch::capture_registers(registers.value);
  StackReader stack = reader_at(memo.own, registers.value[arch::kStackPointer]);
  FullWalk walk = {0, StackEnd::kWhole};
  for (;;) {
    uint64_t at = registers.value[arch::kStackPointer];
    bool ours = walk.count == 0 && at < sp;
    if (!ours) {
      if (walk.count == memo.capacity) {
        walk.end = StackEnd::kDepth;
        return walk;
      }
      memo.fresh[walk.count++].state = {registers.value[arch::kReturnAddress], at,
                                        registers.value[arch::kFramePointer]};
    }
    Step step = step_by_rules(registers, stack, memo.scratch);
    if (step != Step::kCaller) {
      walk.end = step == Step::kOutermost ? StackEnd::kWhole : StackEnd::kCut;
      return walk;
    }
    uint64_t next = registers.value[arch::kStackPointer];
    if (next <= stack.low() || next >= stack.high()) stack = reader_at(memo.own, next);
  }
}

}  // namespace heapledger::runtime
