// The registers of x86-64 by their DWARF numbers, and what a function returns through.
#pragma once

#include <cstdint>

namespace heapledger::runtime::arch {

inline constexpr unsigned kRegisters = 17;  // the 16 general ones and the return address
inline constexpr unsigned kFramePointer = 6;
inline constexpr unsigned kStackPointer = 7;
inline constexpr unsigned kReturnAddress = 16;
// Where a call leaves the return address, seen from the frame's CFA.
inline constexpr int64_t kReturnSlot = -8;
// What a function that keeps a frame pointer leaves there: the caller's, then the return address;
// and where the caller's frame ends.
inline constexpr uint64_t kFrameReturn = 8;
inline constexpr uint64_t kFrameBytes = 16;
// Of a program's own addresses.
inline constexpr unsigned kAddressBits = 47;
// rbx, rbp, r12 to r15: what a function must give back as it found it.
inline constexpr uint32_t kPreserved = 1u << 3 | 1u << 6 | 0xFu << 12;

}  // namespace heapledger::runtime::arch
