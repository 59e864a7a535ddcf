// Evaluates a DWARF expression out of unwind information, with a bound on the work it can ask for.
#pragma once

#include <cstdint>

#include "runtime/unwind/cfi_rules.h"
#include "runtime/unwind/stack_reader.h"

namespace heapledger::runtime {

enum class Outcome : uint8_t {
  kDone,
  kFailed,           // damage, or memory that may not be read
  kUnknownRegister,  // it needs a register we do not have
};

// `first` is pushed before the expression runs (the CFA, for register rules).
Outcome evaluate(const Rule& rule, const uint64_t* first, const Registers& registers,
                 StackReader& stack, CfiScratch& scratch, uint64_t& result);

}  // namespace heapledger::runtime
