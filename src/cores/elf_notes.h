// What the notes of a core dump tell: threads and their registers, files that were mapped, the
// command, and what the kernel told the program when it started.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cores/memory.h"
#include "elf/reader.h"

namespace heapledger::cores {

// The part of the auxiliary vector that helps. 0: not told.
struct StartValues {
  uint64_t program_headers = 0;
  uint64_t entry = 0;
  uint64_t page_bytes = 4096;
  uint64_t path = 0;    // address of the text
  uint64_t random = 0;  // address of some bytes on the first stack
};

struct CoreNotes {
  std::vector<Region> files;  // parts of files, by address, without overlaps
  std::vector<Thread> threads;
  StartValues start;
  std::string start_bytes;  // the auxiliary vector as it is
  uint32_t pid = 0;
  std::string program;    // the first 15 characters of its name
  std::string arguments;  // the first 79 characters of all of them
};

CoreNotes read_core_notes(const elf::ReadAt& read, const Shape& shape,
                          const std::vector<elf::ElfSegment>& segments, uint64_t file_bytes);

}  // namespace heapledger::cores
