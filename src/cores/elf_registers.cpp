#include "cores/elf_registers.h"

#include <algorithm>

#include "cores/memory.h"
#include "elf/reader.h"

namespace heapledger::cores {
namespace {

constexpr size_t kNone = SIZE_MAX;
constexpr size_t kMostRegisters = 128;

// Where things are among the words of a machine's registers.
struct RegisterLayout {
  uint32_t machine;
  size_t first;  // of the general ones
  size_t count;
  size_t program_counter;
  size_t stack_pointer;
  size_t thread_pointer;
};

constexpr RegisterLayout kLayouts[] = {
    {elf::kMachineX86, 0, 15, 16, 19, 21},       // r15 … rdi; rip; rsp; fs_base
    {elf::kMachineI386, 0, 7, 12, 15, kNone},    // ebx … eax; eip; esp
    {elf::kMachineArm64, 0, 31, 32, 31, kNone},  // x0 … x30; pc; sp
    {elf::kMachineArm, 0, 15, 15, 13, kNone},    // r0 … r14; pc; r13
    {elf::kMachineRiscV, 1, 31, 0, 2, 4},        // ra …; pc; sp; tp
    {elf::kMachinePowerPc, 0, 32, 32, 1, 2},     // r0 … r31; nip; r1; r2
    {elf::kMachinePowerPc64, 0, 32, 32, 1, 13},  // r0 … r31; nip; r1; r13
    {elf::kMachineS390, 2, 16, 1, 17, kNone},    // r0 … r15; the address in the PSW; r15
};

const RegisterLayout* layout_of(uint32_t machine) {
  for (const RegisterLayout& layout : kLayouts) {
    if (layout.machine == machine) return &layout;
  }
  return nullptr;
}

}  // namespace

void decode_registers(std::span<const unsigned char> bytes, const Shape& shape, Thread& thread) {
  elf::ElfFields fields(bytes, shape);
  // Programs for x86_64 with pointers of 32 bits have whole registers nevertheless.
  size_t size = shape.machine == elf::kMachineX86 ? 8 : shape.word_bytes;
  size_t words = std::min(bytes.size() / size, kMostRegisters);
  auto word = [&](size_t index) {
    return index < words ? fields.number(index * size, size) : uint64_t{0};
  };
  const RegisterLayout* layout = layout_of(shape.machine);
  thread.registers.clear();
  for (size_t i = 0; i < words; ++i) {
    bool general = layout == nullptr || (i >= layout->first && i - layout->first < layout->count) ||
                   i == layout->program_counter || i == layout->stack_pointer;
    if (general) thread.registers.push_back(word(i));
  }
  if (layout == nullptr) return;
  thread.stack_pointer = word(layout->stack_pointer);
  thread.thread_pointer = word(layout->thread_pointer);
}

uint16_t i386_thread_selector(std::span<const unsigned char> bytes, const Shape& shape) {
  constexpr size_t kGs = 10;
  return static_cast<uint16_t>(elf::ElfFields(bytes, shape).whole(kGs * 4));
}

}  // namespace heapledger::cores
