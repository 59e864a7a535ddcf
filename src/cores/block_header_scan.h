// Looks through all memory for the headers of header mode, byte by byte, for nothing is known of
// where they are. Takes memory in proportion to what it finds.
#pragma once

#include <cstdint>
#include <vector>

#include "cores/block_header_layout.h"
#include "cores/memory.h"

namespace heapledger::cores {

struct ScannedHeaders {
  std::vector<BlockHeader> headers;  // in the order of the dump
  std::vector<ProgramImage> images;  // the first few
  uint64_t damaged = 0;
};

ScannedHeaders scan_for_headers(const Memory& memory);

}  // namespace heapledger::cores
