// An ELF core dump from wherever its bytes are; open_core() opens a file's.
#pragma once

#include <memory>
#include <string>

#include "analyzer/byte_source.h"
#include "cores/memory.h"

namespace heapledger::cores {

// As open_core().
std::unique_ptr<Memory> open_core_source(std::unique_ptr<ByteSource> source,
                                         const std::string& executable, const std::string& sysroot);

}  // namespace heapledger::cores
