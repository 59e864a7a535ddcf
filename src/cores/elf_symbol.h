// The value of one symbol in an ELF file of any word size and byte order.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cores/byte_windows.h"
#include "cores/memory.h"

namespace heapledger::cores {

// Looks through the tables of symbols, once; nothing when none has it with a value.
std::optional<uint64_t> find_elf_symbol(ByteWindows& file, const Shape& shape,
                                        std::string_view name);

}  // namespace heapledger::cores
