// Reads a module's build id out of its mapped program headers, inside known bounds.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>

namespace heapledger::runtime {

struct BuildId {
  const unsigned char* data = nullptr;  // into the module's memory
  size_t bytes = 0;
};

// `bias` is what the module's addresses are shifted by; the module is mapped at [start, end).
BuildId find_build_id(const ElfW(Phdr) * headers, size_t count, uint64_t bias, uint64_t start,
                      uint64_t end);

}  // namespace heapledger::runtime
