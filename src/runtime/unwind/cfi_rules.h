// Runs a function's unwind program up to an address: what comes out are the rules for getting from
// the registers there to the registers of the caller.
#pragma once

#include <arch_registers.h>

#include <cstdint>

#include "runtime/unwind/cfi_find.h"

namespace heapledger::runtime {

enum class RuleKind : uint8_t {
  kSame,            // the register keeps its value
  kUndefined,       // it is lost; for the return address: this is the outermost frame
  kOffset,          // saved at CFA + value
  kValueOffset,     // is CFA + value
  kRegister,        // is in another register
  kExpression,      // saved where the expression says
  kValueExpression  // is what the expression says
};

struct Rule {
  RuleKind kind = RuleKind::kSame;
  uint32_t bytes = 0;  // expressions: length
  int64_t value = 0;   // offset, register number, or address of the expression
};

struct Rules {
  // The CFA: register + offset, or an expression (kind kValueExpression).
  Rule cfa;
  unsigned cfa_register = 0;
  Rule registers[arch::kRegisters];
};

// Registers by DWARF number; only those in the mask are known.
struct Registers {
  uint64_t value[arch::kRegisters];
  uint32_t known;

  bool has(unsigned number) const {
    return number < arch::kRegisters && (known >> number & 1) != 0;
  }
};

// A chain of frames without unwind information that a walk is going along (frame_chain.cpp): the
// next of them, how many there are, and what was found at the end.
struct FrameChain {
  uint64_t pc;
  uint64_t sp;
  uint64_t bp;
  uint64_t last_slot;
  uint64_t last_return;
  uint32_t left;
};

// Room for running unwind programs; kilobytes, so it lives outside the program's stack.
struct CfiScratch {
  static constexpr unsigned kMaxRemembered = 8;
  Rules rules;
  Rules initial;
  Rules remembered[kMaxRemembered];
  uint64_t operands[64];  // of expressions
  Registers registers;
  Registers caller;
  FrameChain chain;
};

// False: an instruction we do not know, or damage.
bool run_cfi(const CfiFunction& function, uint64_t pc, const CfiModule& module, CfiScratch& scratch,
             Rules& rules);

}  // namespace heapledger::runtime
