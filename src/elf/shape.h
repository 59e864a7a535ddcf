// How numbers are stored in a file or in a memory.
#pragma once

#include <cstdint>

namespace heapledger::elf {

struct Shape {
  unsigned word_bytes = 8;  // 4 or 8
  bool big_endian = false;
  uint32_t machine = 62;  // ELF e_machine; 0: unknown
};

}  // namespace heapledger::elf
