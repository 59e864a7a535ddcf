#include "runtime/unwind/cfi_expression.h"

namespace heapledger::runtime {
namespace {

constexpr unsigned kMaxOperations = 1000;

// DW_OP codes of the DWARF standard that can stand in unwind information.
enum : uint8_t {
  kAddr = 0x03,
  kDeref = 0x06,
  kConst1u = 0x08,
  kConst1s = 0x09,
  kConst2u = 0x0A,
  kConst2s = 0x0B,
  kConst4u = 0x0C,
  kConst4s = 0x0D,
  kConst8u = 0x0E,
  kConst8s = 0x0F,
  kConstu = 0x10,
  kConsts = 0x11,
  kDup = 0x12,
  kDrop = 0x13,
  kOver = 0x14,
  kPick = 0x15,
  kSwap = 0x16,
  kRot = 0x17,
  kAbs = 0x19,
  kAnd = 0x1A,
  kDiv = 0x1B,
  kMinus = 0x1C,
  kMod = 0x1D,
  kMul = 0x1E,
  kNeg = 0x1F,
  kNot = 0x20,
  kOr = 0x21,
  kPlus = 0x22,
  kPlusUconst = 0x23,
  kShl = 0x24,
  kShr = 0x25,
  kShra = 0x26,
  kXor = 0x27,
  kBra = 0x28,
  kEq = 0x29,
  kGe = 0x2A,
  kGt = 0x2B,
  kLe = 0x2C,
  kLt = 0x2D,
  kNe = 0x2E,
  kSkip = 0x2F,
  kLit0 = 0x30,
  kLit31 = 0x4F,
  kBreg0 = 0x70,
  kBreg31 = 0x8F,
  kBregx = 0x92,
  kDerefSize = 0x94,
  kNoOperation = 0x96,
};

class Machine {
 public:
  Machine(const Rule& rule, const Registers& registers, StackReader& stack, CfiScratch& scratch)
      : begin_(reinterpret_cast<const unsigned char*>(rule.value)),
        end_(begin_ + rule.bytes),
        code_(begin_, end_),
        registers_(registers),
        stack_(stack),
        operands_(scratch.operands) {}

  Outcome run(const uint64_t* first, uint64_t& result) {
    if (first != nullptr) push(*first);
    for (unsigned count = 0; !code_.done(); ++count) {
      if (count == kMaxOperations) return Outcome::kFailed;
      step(code_.fixed<uint8_t>());
      if (outcome_ != Outcome::kDone) return outcome_;
    }
    if (code_.failed() || depth_ == 0) return Outcome::kFailed;
    result = operands_[depth_ - 1];
    return Outcome::kDone;
  }

 private:
  static constexpr unsigned kCapacity = sizeof(CfiScratch::operands) / sizeof(uint64_t);

  void fail() { outcome_ = Outcome::kFailed; }

  void push(uint64_t value) {
    if (depth_ == kCapacity) return fail();
    operands_[depth_++] = value;
  }

  uint64_t pop() {
    if (depth_ == 0) {
      fail();
      return 0;
    }
    return operands_[--depth_];
  }

  // The n-th operand from the top.
  uint64_t peek(unsigned from_top) {
    if (from_top >= depth_) {
      fail();
      return 0;
    }
    return operands_[depth_ - 1 - from_top];
  }

  void step(uint8_t operation) {
    if (operation >= kLit0 && operation <= kLit31) return push(operation - kLit0);
    if (operation >= kBreg0 && operation <= kBreg31) return based(operation - kBreg0);
    if (operation >= kAbs && operation <= kXor) return arithmetic(operation);
    if (operation >= kEq && operation <= kNe) return compare(operation);
    if (operation >= kAddr && operation <= kConsts && operation != kDeref) {
      return push(constant(operation));
    }
    other(operation);
  }

  uint64_t constant(uint8_t operation) {
    switch (operation) {
      case kConst1u:
        return code_.fixed<uint8_t>();
      case kConst1s:
        return static_cast<uint64_t>(int64_t{code_.fixed<int8_t>()});
      case kConst2u:
        return code_.fixed<uint16_t>();
      case kConst2s:
        return static_cast<uint64_t>(int64_t{code_.fixed<int16_t>()});
      case kConst4u:
        return code_.fixed<uint32_t>();
      case kConst4s:
        return static_cast<uint64_t>(int64_t{code_.fixed<int32_t>()});
      case kAddr:
      case kConst8u:
      case kConst8s:
        return code_.fixed<uint64_t>();
      case kConstu:
        return code_.uleb();
      case kConsts:
        return static_cast<uint64_t>(code_.sleb());
      default:
        fail();
        return 0;
    }
  }

  void based(uint64_t number) {
    auto offset = static_cast<uint64_t>(code_.sleb());
    if (number >= arch::kRegisters || !registers_.has(static_cast<unsigned>(number))) {
      outcome_ = Outcome::kUnknownRegister;
      return;
    }
    push(registers_.value[number] + offset);
  }

  void load(unsigned bytes) {
    uint64_t at = pop();
    uint64_t word = 0;
    // Whole words only are known to be there; a part of one is cut out of it.
    uint64_t aligned = at & ~uint64_t{7};
    if (bytes == 0 || bytes > 8 || at - aligned + bytes > 8) return fail();
    if (!stack_.read(aligned, word)) return fail();
    word >>= 8 * (at - aligned);
    push(bytes == 8 ? word : word & ((uint64_t{1} << (8 * bytes)) - 1));
  }

  void arithmetic(uint8_t operation) {
    if (operation == kPlusUconst) return push(pop() + code_.uleb());
    uint64_t top = pop();
    auto top_signed = static_cast<int64_t>(top);
    if (operation == kAbs) return push(top_signed < 0 ? 0 - top : top);
    if (operation == kNeg) return push(0 - top);
    if (operation == kNot) return push(~top);
    uint64_t second = pop();
    switch (operation) {
      case kAnd:
        return push(second & top);
      case kOr:
        return push(second | top);
      case kXor:
        return push(second ^ top);
      case kPlus:
        return push(second + top);
      case kMinus:
        return push(second - top);
      case kMul:
        return push(second * top);
      case kMod:
        return top == 0 ? fail() : push(second % top);
      case kDiv:
        if (top == 0 || top == UINT64_MAX) return top == 0 ? fail() : push(0 - second);
        return push(static_cast<uint64_t>(static_cast<int64_t>(second) / top_signed));
      case kShl:
        return push(top > 63 ? 0 : second << top);
      case kShr:
        return push(top > 63 ? 0 : second >> top);
      case kShra:
        return push(static_cast<uint64_t>(static_cast<int64_t>(second) >> (top > 63 ? 63 : top)));
      default:
        return fail();
    }
  }

  void compare(uint8_t operation) {
    auto right = static_cast<int64_t>(pop());
    auto left = static_cast<int64_t>(pop());
    switch (operation) {
      case kEq:
        return push(left == right);
      case kGe:
        return push(left >= right);
      case kGt:
        return push(left > right);
      case kLe:
        return push(left <= right);
      case kLt:
        return push(left < right);
      default:
        return push(left != right);
    }
  }

  void jump(int16_t distance) {
    const unsigned char* target = code_.at() + distance;
    if (target < begin_ || target > end_) return fail();
    code_ = ByteCursor(target, end_);
  }

  void other(uint8_t operation) {
    switch (operation) {
      case kNoOperation:
        return;
      case kDeref:
        return load(8);
      case kDerefSize:
        return load(code_.fixed<uint8_t>());
      case kDup:
        return push(peek(0));
      case kDrop:
        pop();
        return;
      case kOver:
        return push(peek(1));
      case kPick:
        return push(peek(code_.fixed<uint8_t>()));
      case kSwap: {
        uint64_t top = pop();
        uint64_t second = pop();
        push(top);
        return push(second);
      }
      case kRot: {
        uint64_t top = pop();
        uint64_t second = pop();
        uint64_t third = pop();
        push(top);
        push(third);
        return push(second);
      }
      case kSkip:
        return jump(code_.fixed<int16_t>());
      case kBra: {
        auto distance = code_.fixed<int16_t>();
        if (pop() != 0) jump(distance);
        return;
      }
      case kBregx:
        return based(code_.uleb());
      default:
        return fail();
    }
  }

  const unsigned char* begin_;
  const unsigned char* end_;
  ByteCursor code_;
  const Registers& registers_;
  StackReader& stack_;
  uint64_t* operands_;
  unsigned depth_ = 0;
  Outcome outcome_ = Outcome::kDone;
};

}  // namespace

Outcome evaluate(const Rule& rule, const uint64_t* first, const Registers& registers,
                 StackReader& stack, CfiScratch& scratch, uint64_t& result) {
  return Machine(rule, registers, stack, scratch).run(first, result);
}

}  // namespace heapledger::runtime
