// .gnu_debugdata: a small ELF file inside of a stripped one, packed with xz, that has the symbols
// which .dynsym lacks.
#pragma once

#include "symbols/elf_file.h"

namespace heapledger {

// The file inside; an empty ElfFile when there is none or it cannot be unpacked.
ElfFile unpack_mini_debug(const ElfFile& image);

}  // namespace heapledger
