// Hostile unwind information: whatever the bytes, nothing outside them is read and nothing loops.
// The input is a module: .eh_frame_hdr at its start, the address asked for in its last bytes. Then
// the same bytes as a module without a header, whose .eh_frame has to be searched for.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/unwind/cfi_expression.h"
#include "runtime/unwind/cfi_find.h"
#include "runtime/unwind/cfi_rules.h"
#include "runtime/unwind/rows.h"
#include "runtime/unwind/stack_memo.h"
#include "runtime/unwind/unindexed_cfi.h"

using namespace heapledger::runtime;

namespace {

void use(const CfiModule& module, uint64_t pc) {
  static CfiScratch scratch;
  alignas(8) static uint64_t words[64] = {};
  CfiFunction function;
  if (!find_cfi(module, pc, function)) return;
  Rules rules;
  if (!run_cfi(function, pc, module, scratch, rules)) return;
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
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 16) return 0;
  uint16_t offset;
  memcpy(&offset, data + size - 2, 2);
  auto start = reinterpret_cast<uint64_t>(data);
  uint64_t pc = start + offset;
  use({start, start + size, start}, pc);

  ElfW(Phdr) segment = {};
  segment.p_type = PT_LOAD;
  segment.p_flags = PF_R | PF_X;
  segment.p_vaddr = start;
  segment.p_filesz = segment.p_memsz = size;
  LoadedObject object;
  object.headers = &segment;
  object.header_count = 1;
  set_extent(object);
  begin_epoch();  // what was remembered of other bytes at this place
  CfiModule module;
  if (find_unindexed(object, module)) use(module, pc);
  return 0;
}
