#include "runtime/unwind/cfi_rules.h"

namespace heapledger::runtime {
namespace {

// DW_CFA instructions. The first three keep an operand in their low six bits.
enum : uint8_t {
  kAdvanceLoc = 0x40,
  kOffset = 0x80,
  kRestore = 0xC0,

  kNoRule = 0x00,
  kSetLoc = 0x01,
  kAdvanceLoc1 = 0x02,
  kAdvanceLoc2 = 0x03,
  kAdvanceLoc4 = 0x04,
  kOffsetExtended = 0x05,
  kRestoreExtended = 0x06,
  kUndefined = 0x07,
  kSameValue = 0x08,
  kRegister = 0x09,
  kRememberState = 0x0A,
  kRestoreState = 0x0B,
  kDefCfa = 0x0C,
  kDefCfaRegister = 0x0D,
  kDefCfaOffset = 0x0E,
  kDefCfaExpression = 0x0F,
  kExpression = 0x10,
  kOffsetExtendedSf = 0x11,
  kDefCfaSf = 0x12,
  kDefCfaOffsetSf = 0x13,
  kValOffset = 0x14,
  kValOffsetSf = 0x15,
  kValExpression = 0x16,
  kGnuArgsSize = 0x2E,
  kGnuNegativeOffset = 0x2F,
};

class Interpreter {
 public:
  Interpreter(const CfiFunction& function, uint64_t pc, const CfiModule& module,
              CfiScratch& scratch, Rules& rules)
      : function_(function),
        module_(module),
        scratch_(scratch),
        rules_(rules),
        pc_(pc),
        location_(function.begin) {}

  bool run() {
    rules_ = Rules{};
    if (!execute(function_.initial)) return false;
    scratch_.initial = rules_;
    location_ = function_.begin;
    return execute(function_.program);
  }

 private:
  bool execute(ByteCursor code) {
    while (!code.done() && location_ <= pc_) {
      if (!step(code)) return false;
    }
    return !code.failed();
  }

  bool step(ByteCursor& code) {
    auto byte = code.fixed<uint8_t>();
    unsigned low = byte & 0x3Fu;
    switch (byte & 0xC0) {
      case kAdvanceLoc:
        return advance(low);
      case kOffset:
        return set(low, RuleKind::kOffset, scaled(code.uleb()));
      case kRestore:
        return restore(low);
      default:
        return extended(byte, code);
    }
  }

  bool extended(uint8_t byte, ByteCursor& code) {
    switch (byte) {
      case kNoRule:
        return true;
      case kSetLoc:
        location_ = read_encoded(code, function_.pointer_encoding, module_);
        return true;
      case kAdvanceLoc1:
        return advance(code.fixed<uint8_t>());
      case kAdvanceLoc2:
        return advance(code.fixed<uint16_t>());
      case kAdvanceLoc4:
        return advance(code.fixed<uint32_t>());
      case kRememberState:
        if (depth_ == CfiScratch::kMaxRemembered) return false;
        scratch_.remembered[depth_++] = rules_;
        return true;
      case kRestoreState:
        if (depth_ == 0) return false;
        rules_ = scratch_.remembered[--depth_];
        return true;
      case kGnuArgsSize:
        code.uleb();
        return true;
      default:
        return byte >= kDefCfa && byte <= kDefCfaOffsetSf && is_cfa(byte) ? define_cfa(byte, code)
                                                                          : define(byte, code);
    }
  }

  static bool is_cfa(uint8_t byte) {
    return byte <= kDefCfaExpression || byte == kDefCfaSf || byte == kDefCfaOffsetSf;
  }

  bool define_cfa(uint8_t byte, ByteCursor& code) {
    switch (byte) {
      case kDefCfa:
        rules_.cfa_register = column(code.uleb());
        return set_cfa(static_cast<int64_t>(code.uleb()));
      case kDefCfaSf:
        rules_.cfa_register = column(code.uleb());
        return set_cfa(scaled(static_cast<uint64_t>(code.sleb())));
      case kDefCfaRegister:
        rules_.cfa_register = column(code.uleb());
        return rules_.cfa_register < arch::kRegisters && rules_.cfa.kind == RuleKind::kOffset;
      case kDefCfaOffset:
        return set_cfa(static_cast<int64_t>(code.uleb()));
      case kDefCfaOffsetSf:
        return set_cfa(scaled(static_cast<uint64_t>(code.sleb())));
      default:
        return expression(code, RuleKind::kValueExpression, rules_.cfa);
    }
  }

  bool define(uint8_t byte, ByteCursor& code) {
    unsigned target = column(code.uleb());
    switch (byte) {
      case kOffsetExtended:
        return set(target, RuleKind::kOffset, scaled(code.uleb()));
      case kOffsetExtendedSf:
        return set(target, RuleKind::kOffset, scaled(static_cast<uint64_t>(code.sleb())));
      case kGnuNegativeOffset:
        return set(target, RuleKind::kOffset, scaled(0 - code.uleb()));
      case kValOffset:
        return set(target, RuleKind::kValueOffset, scaled(code.uleb()));
      case kValOffsetSf:
        return set(target, RuleKind::kValueOffset, scaled(static_cast<uint64_t>(code.sleb())));
      case kRestoreExtended:
        return restore(target);
      case kUndefined:
        return set(target, RuleKind::kUndefined, 0);
      case kSameValue:
        return set(target, RuleKind::kSame, 0);
      case kRegister:
        return set(target, RuleKind::kRegister, static_cast<int64_t>(code.uleb()));
      case kExpression:
      case kValExpression: {
        Rule unused;
        RuleKind kind = byte == kExpression ? RuleKind::kExpression : RuleKind::kValueExpression;
        return expression(code, kind,
                          target < arch::kRegisters ? rules_.registers[target] : unused);
      }
      default:
        return false;
    }
  }

  bool advance(uint64_t delta) {
    location_ += delta * function_.code_factor;
    return true;
  }

  int64_t scaled(uint64_t value) const {
    // Unsigned: hostile factors may overflow.
    return static_cast<int64_t>(value * static_cast<uint64_t>(function_.data_factor));
  }

  static unsigned column(uint64_t number) {
    return number < arch::kRegisters ? static_cast<unsigned>(number) : arch::kRegisters;
  }

  bool set_cfa(int64_t offset) {
    if (rules_.cfa_register >= arch::kRegisters) return false;
    rules_.cfa = {RuleKind::kOffset, 0, offset};
    return true;
  }

  // Registers we do not follow (vector registers and the like) are read over.
  bool set(unsigned target, RuleKind kind, int64_t value) {
    if (target < arch::kRegisters) rules_.registers[target] = {kind, 0, value};
    return true;
  }

  bool restore(unsigned target) {
    if (target < arch::kRegisters) rules_.registers[target] = scratch_.initial.registers[target];
    return true;
  }

  static bool expression(ByteCursor& code, RuleKind kind, Rule& rule) {
    uint64_t bytes = code.uleb();
    ByteCursor body = code.take(bytes);
    if (body.failed() || bytes > UINT32_MAX) return false;
    rule = {kind, static_cast<uint32_t>(bytes), reinterpret_cast<int64_t>(body.at())};
    return true;
  }

  const CfiFunction& function_;
  const CfiModule& module_;
  CfiScratch& scratch_;
  Rules& rules_;
  uint64_t pc_;
  uint64_t location_;
  unsigned depth_ = 0;
};

}  // namespace

bool run_cfi(const CfiFunction& function, uint64_t pc, const CfiModule& module, CfiScratch& scratch,
             Rules& rules) {
  return Interpreter(function, pc, module, scratch, rules).run();
}

}  // namespace heapledger::runtime
