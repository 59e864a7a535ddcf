// Which of the headers in a dump are those of live blocks: those that agree with most others about
// where the dump was in memory, and of those that overlap, the young ones.
#pragma once

#include <cstdint>
#include <vector>

#include "cores/block_header_scan.h"
#include "cores/block_headers.h"

namespace heapledger::cores {

// Whether this is more than a plain dump, whose addresses are what somebody says.
bool addresses_known(const Memory& memory);

// What most headers say. Where the memory knows its addresses, only those count that agree with it.
// Leaves the headers in another order, and no images that do not.
FoundHeaders agreement(ScannedHeaders& scanned, const Memory& memory);

// The image that belongs to these headers; null: none.
const ProgramImage* image_of(const ScannedHeaders& scanned, const FoundHeaders& found);

struct ChosenHeaders {
  std::vector<BlockHeader> live;  // by address, without overlaps
  uint64_t dead = 0;              // left out because a younger one lies over them
};
ChosenHeaders choose_headers(std::vector<BlockHeader> headers, const FoundHeaders& found);

}  // namespace heapledger::cores
