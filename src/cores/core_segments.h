// The loaded segments of a core dump: which addresses are where in its file. However they lie over
// one another in the dump, here they do not, neither in memory nor in the file: nobody who goes
// through all of them reads more than the file holds.
#pragma once

#include <cstdint>
#include <vector>

#include "cores/memory.h"
#include "elf/reader.h"

namespace heapledger::cores {

struct CoreSegment {
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t offset = 0;        // in the dump's file
  uint64_t dumped_bytes = 0;  // said to be in the file; what follows was left out when dumping
  uint64_t stored_bytes = 0;  // of these, what is in the file
  uint32_t flags = 0;
};

struct CoreSegments {
  std::vector<CoreSegment> all;  // by address
  uint64_t dumped_bytes = 0;
  uint64_t missing_bytes = 0;  // of these, not in the file
  uint64_t overlaps = 0;       // segments that were cut or left out

  // Parts of files that the notes name and no segment has: gcore says nothing more of what it
  // leaves out than that. It is code and constants, which is why it can be left out.
  void add_left_out(const std::vector<Region>& files);

  // Null: none there.
  const CoreSegment* find(uint64_t address) const;
};

CoreSegments arrange_segments(const std::vector<elf::ElfSegment>& segments, uint64_t file_bytes);

}  // namespace heapledger::cores
