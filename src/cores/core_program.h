// Cores that do not say which files were mapped: of old kernels, of emulators. Where the program
// itself was is known nevertheless, from where it was entered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cores/memory.h"
#include "elf/reader.h"

namespace heapledger::cores {

// Gives the regions of the program its path, if `executable` proves to be what is in memory.
void name_program_regions(const std::string& executable, uint64_t entry, const elf::ReadAt& memory,
                          std::vector<Region>& regions);

}  // namespace heapledger::cores
