// The registers of a thread as the kernel stores them, in core dumps and for debuggers.
#pragma once

#include <cstdint>
#include <span>

#include "cores/memory.h"

namespace heapledger::cores {

// Sets a thread's registers, stack pointer and, where a register holds it, thread pointer. Of a
// machine that is not known, all words count as registers.
void decode_registers(std::span<const unsigned char> bytes, const Shape& shape, Thread& thread);

// i386 only: the selector of the segment of thread-local storage.
uint16_t i386_thread_selector(std::span<const unsigned char> bytes, const Shape& shape);

}  // namespace heapledger::cores
