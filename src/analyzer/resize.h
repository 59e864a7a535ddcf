// A block that got another size, as books are told of it.
#pragma once

#include <cstdint>

namespace heapledger {

struct Resize {
  uint64_t time;
  uint64_t address;   // of the new one
  uint64_t old_size;  // 0 when the old block is not known
  uint64_t size;
  uint32_t account;
  uint32_t thread;
  uint64_t calls;  // that it stands for: more than one when sampled
  uint64_t moves;  // how many of these gave another address
};

}  // namespace heapledger
