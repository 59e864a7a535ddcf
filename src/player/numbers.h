// Numbers in the kernel's small files.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <span>

namespace heapledger::player {

// The first numbers of the file, which is read from its beginning. False when there are fewer.
bool read_numbers(int fd, std::span<uint64_t> into);

// The number after `label` in the text that is in the file, or 0.
uint64_t number_after(int fd, const char* label);

}  // namespace heapledger::player
