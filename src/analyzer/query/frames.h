// One call on a stack, with all the names there are for it.
#pragma once

#include <cstdint>
#include <string>

namespace heapledger {

struct NamedFrame {
  std::string name;      // for people: the function, or module+0xoffset, never empty
  std::string function;  // empty when unknown
  std::string file;      // likewise
  uint32_t line = 0;
  bool inlined = false;  // into the next frame out
  bool wrapper = false;  // an allocator, a wrapper of one, or the standard library
  std::string module;    // path; empty for code in no module
  uint64_t offset = 0;   // in the module's file, of the return address
  uint64_t pc = 0;
};

}  // namespace heapledger
