// What a file is that was given as a core dump and is none, in words that help.
#pragma once

#include <optional>
#include <string>

#include "cores/byte_windows.h"
#include "cores/memory.h"
#include "elf/reader.h"

namespace heapledger::cores {

// A message; `header` if it is an ELF file at all.
std::string why_no_core(ByteWindows& file, const std::optional<elf::ElfHeader>& header);

}  // namespace heapledger::cores
