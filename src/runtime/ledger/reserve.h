// Extents of the ledger file that are mapped ahead of need, for the time when no system call may be
// made: from expect_filter (file.h) on.
//
// Thread safety: any thread at any time, but for forget_reserve.
#pragma once

#include <cstdint>

namespace heapledger::runtime {

// Null when it is used up.
unsigned char* take_reserved(uint32_t count = 1);

// In a forked child: drops the parent's.
void forget_reserve();

}  // namespace heapledger::runtime
