// A cube as bytes, to be kept: column by column, each compressed. Whatever the bytes, what is read
// back is a cube of so many accounts whose rows are in order, or nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/index/cube.h"

namespace heapledger {

std::string pack_cube(const Cube& cube);

// `accounts`: how many there are; `most_rows`: of each kind.
std::optional<Cube> unpack_cube(std::string_view bytes, uint32_t accounts, size_t most_rows);

}  // namespace heapledger
