// Changes for people: figures that always carry their sign.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/query/difference.h"

namespace heapledger::cli::diff {

// +12.3 MiB, -415 B, 0
std::string signed_bytes(int64_t change);

// +1,234
std::string signed_count(int64_t change);

// +8.0%; "new" when there was nothing before; empty when there is nothing in either.
std::string signed_percent(uint64_t before, uint64_t after);

// Whether a measure is of bytes; else it counts.
bool is_bytes(Compared measure);

// A value or a change of a measure in its own unit.
std::string measure_text(Compared measure, uint64_t value);
std::string signed_measure(Compared measure, int64_t change);

}  // namespace heapledger::cli::diff
