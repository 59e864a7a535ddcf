// Ledgers small enough to be fuzzed: the same header, blocks and entries, without the zeros that
// fill 64 KiB blocks, and with fields in a form in which most changes still make a ledger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "analyzer/byte_source.h"

namespace heapledger::fuzz {

// The ledger that `compact` stands for. Any bytes stand for some ledger; what is left over
// after it is returned in `rest`.
std::unique_ptr<ByteSource> expand(std::string name, std::string_view compact,
                                   std::string_view& rest);

// The other way round, for seeds.
std::string compact(std::string_view ledger);

}  // namespace heapledger::fuzz
