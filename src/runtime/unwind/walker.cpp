#include "runtime/unwind/walker.h"

#include "runtime/unwind/modules.h"

namespace heapledger::runtime {
namespace {

class RuleStep {
 public:
  RuleStep(const Rules& rules, const Registers& now, StackReader& stack, CfiScratch& scratch)
      : rules_(rules), now_(now), stack_(stack), scratch_(scratch) {}

  Outcome find_cfa() {
    if (rules_.cfa.kind == RuleKind::kValueExpression) {
      return evaluate(rules_.cfa, nullptr, now_, stack_, scratch_, cfa_);
    }
    if (rules_.cfa.kind != RuleKind::kOffset) return Outcome::kFailed;
    if (!now_.has(rules_.cfa_register)) return Outcome::kUnknownRegister;
    cfa_ = now_.value[rules_.cfa_register] + static_cast<uint64_t>(rules_.cfa.value);
    return Outcome::kDone;
  }

  // The caller's value of one register.
  Outcome find(unsigned number, uint64_t& value) {
    const Rule& rule = rules_.registers[number];
    uint64_t at = cfa_ + static_cast<uint64_t>(rule.value);
    switch (rule.kind) {
      case RuleKind::kSame:
        return copy(number, value);
      case RuleKind::kRegister:
        return rule.value >= 0 && rule.value < arch::kRegisters
                   ? copy(static_cast<unsigned>(rule.value), value)
                   : Outcome::kFailed;
      case RuleKind::kOffset:
        return load(at, value);
      case RuleKind::kValueOffset:
        value = at;
        return Outcome::kDone;
      case RuleKind::kExpression: {
        Outcome outcome = evaluate(rule, &cfa_, now_, stack_, scratch_, at);
        return outcome == Outcome::kDone ? load(at, value) : outcome;
      }
      case RuleKind::kValueExpression:
        return evaluate(rule, &cfa_, now_, stack_, scratch_, value);
      default:
        return Outcome::kFailed;
    }
  }

  uint64_t cfa() const { return cfa_; }

 private:
  Outcome copy(unsigned number, uint64_t& value) const {
    if (!now_.has(number)) return Outcome::kUnknownRegister;
    value = now_.value[number];
    return Outcome::kDone;
  }

  Outcome load(uint64_t at, uint64_t& value) {
    return stack_.read(at, value) ? Outcome::kDone : Outcome::kFailed;
  }

  const Rules& rules_;
  const Registers& now_;
  StackReader& stack_;
  CfiScratch& scratch_;
  uint64_t cfa_ = 0;
};

Step step_of(Outcome outcome) {
  return outcome == Outcome::kUnknownRegister ? Step::kNeedsRegisters : Step::kCut;
}

// The caller's registers: all whose value can be told.
void find_registers(RuleStep& step, const Rules& rules, Registers& caller) {
  caller.known = 0;
  for (unsigned number = 0; number < arch::kRegisters; ++number) {
    bool is_stack = number == arch::kStackPointer;
    if (is_stack && rules.registers[number].kind == RuleKind::kSame) {
      caller.value[number] = step.cfa();  // unless said otherwise
      caller.known |= 1u << number;
    } else if (step.find(number, caller.value[number]) == Outcome::kDone) {
      caller.known |= 1u << number;
    }
  }
}

}  // namespace

Step step_by_rules(Registers& registers, StackReader& stack, CfiScratch& scratch) {
  CfiModule module;
  CfiFunction function;
  uint64_t pc = registers.value[arch::kReturnAddress];
  if (pc == 0 || !cfi_module_at(pc - 1, module) || !find_cfi(module, pc - 1, function)) {
    return Step::kCut;
  }
  if (!run_cfi(function, pc - 1, module, scratch, scratch.rules)) return Step::kCut;
  const Rules& rules = scratch.rules;
  if (rules.registers[arch::kReturnAddress].kind == RuleKind::kUndefined) return Step::kOutermost;
  RuleStep step(rules, registers, stack, scratch);
  Outcome outcome = step.find_cfa();
  uint64_t back = 0;
  if (outcome == Outcome::kDone) outcome = step.find(arch::kReturnAddress, back);
  if (outcome != Outcome::kDone) return step_of(outcome);
  if (back == 0) return Step::kOutermost;
  Registers& caller = scratch.caller;
  find_registers(step, rules, caller);
  caller.value[arch::kReturnAddress] = function.signal_frame ? back + 1 : back;
  bool has_stack = caller.has(arch::kStackPointer);
  // A signal handler may run on another stack; an ordinary caller is further out on the same.
  bool outwards = caller.value[arch::kStackPointer] > registers.value[arch::kStackPointer];
  if (!has_stack || (!outwards && !function.signal_frame)) return Step::kCut;
  registers = caller;
  return Step::kCaller;
}

Step step_by_rules(FrameState& state, StackReader& stack, CfiScratch& scratch) {
  Registers& registers = scratch.registers;
  registers.known =
      1u << arch::kReturnAddress | 1u << arch::kStackPointer | 1u << arch::kFramePointer;
  registers.value[arch::kReturnAddress] = state.pc;
  registers.value[arch::kStackPointer] = state.sp;
  registers.value[arch::kFramePointer] = state.bp;
  Step step = step_by_rules(registers, stack, scratch);
  if (step != Step::kCaller) return step;
  // Without the frame pointer the walk would have to guess from here on.
  if (!registers.has(arch::kFramePointer)) return Step::kNeedsRegisters;
  state = {registers.value[arch::kReturnAddress], registers.value[arch::kStackPointer],
           registers.value[arch::kFramePointer]};
  return Step::kCaller;
}

}  // namespace heapledger::runtime
