// A plain dump of memory from wherever its bytes are; open_raw() opens a file's.
#pragma once

#include <cstdint>
#include <memory>

#include "analyzer/byte_source.h"
#include "cores/memory.h"

namespace heapledger::cores {

// As open_raw().
std::unique_ptr<Memory> open_raw_source(std::unique_ptr<ByteSource> source, uint64_t base,
                                        const Shape& shape);

}  // namespace heapledger::cores
