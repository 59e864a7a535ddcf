// Pointers into the middle of a block that count as if they were to its start, because compilers
// and libraries make them so. The same four cases as Valgrind's heuristics, which it takes by
// default:
//
//   length64              8 bytes into a block that begins with the number of bytes that follow
//   newarray              behind the count that an array of objects with destructors begins with
//   stdstring             the text of an old std::string, behind its length, capacity and count
//   multipleinheritance   a base of an object: there and at the start are addresses of vtables
#pragma once

#include <cstdint>
#include <unordered_map>

#include "cores/memory.h"

namespace heapledger::cores {

class InteriorPointers {
 public:
  explicit InteriorPointers(const Memory& memory);

  // `pointer` is to somewhere behind the start of a block of `bytes` bytes, and inside of it.
  bool as_start(uint64_t start, uint64_t bytes, uint64_t pointer);

 private:
  bool is_array(uint64_t start, uint64_t bytes, uint64_t pointer) const;
  bool is_text(uint64_t start, uint64_t bytes, uint64_t pointer) const;
  bool is_base(uint64_t start, uint64_t bytes, uint64_t pointer);
  bool is_vtable(uint64_t address);
  bool looks_like_vtable(uint64_t address) const;

  const Memory& memory_;
  uint64_t word_;
  std::unordered_map<uint64_t, bool> vtables_;  // what was found out so far, not too much of it
  uint64_t last_start_ = 0;                     // the last block that is_base() was asked about …
  bool last_begins_with_vtable_ = false;        // … and whether it begins like an object
};

}  // namespace heapledger::cores
