// Hostile unwind information: whatever the bytes, nothing outside them is read and nothing loops.
// The input is a module: .eh_frame_hdr at its start, the address asked for in its last bytes.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/unwind/cfi_expression.h"
#include "runtime/unwind/cfi_find.h"
#include "runtime/unwind/cfi_rules.h"
#include "runtime/unwind/rows.h"

using namespace heapledger::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 16) return 0;
  static CfiScratch scratch;
  alignas(8) static uint64_t words[64] = {};
  uint16_t offset;
  memcpy(&offset, data + size - 2, 2);
  auto start = reinterpret_cast<uint64_t>(data);
  CfiModule module = {start, start + size, start};
  uint64_t pc = start + offset;
  CfiFunction function;
  if (!find_cfi(module, pc, function)) return 0;
  Rules rules;
  if (!run_cfi(function, pc, module, scratch, rules)) return 0;
  condense(rules, function.signal_frame);

  auto base = reinterpret_cast<uint64_t>(words);
  StackReader stack(base, base + sizeof words, false);
  Registers registers = {};
  registers.known = 0x1FFFF;
  for (uint64_t& value : registers.value) value = base + 64;
  uint64_t result;
  if (rules.cfa.kind == RuleKind::kValueExpression) {
    evaluate(rules.cfa, nullptr, registers, stack, scratch, result);
  }
  for (const Rule& rule : rules.registers) {
    if (rule.bytes != 0) evaluate(rule, &base, registers, stack, scratch, result);
  }
  return 0;
}
