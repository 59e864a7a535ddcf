// Finds the allocators among the functions that an executable defines. It only ever adds to an
// ElfImage, and leaves it as it is where a table is damaged or absurdly large.
#pragma once

#include "elf/bytes.h"
#include "elf/image.h"

namespace heapledger::elf {

// For an image that is native and whose file header is sound.
void find_allocators(const ElfBytes& file, ElfImage& image);

}  // namespace heapledger::elf
