// What the program headers of loaded modules say, read from the memory itself: where an image ends,
// and how much thread-local storage it takes.
#pragma once

#include <cstdint>
#include <vector>

#include "cores/memory.h"

namespace heapledger::cores {

struct Image {
  uint64_t start = 0;
  uint64_t end = 0;        // with what lies behind the file's part (.bss), if that is known
  uint64_t tls_bytes = 0;  // of each thread
};

// One for each module, in their order. What cannot be read is taken as the module says.
std::vector<Image> images_of(const Memory& memory);

}  // namespace heapledger::cores
