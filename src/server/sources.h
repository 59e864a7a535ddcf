// Source files that ledgers name, as text. A ledger may be forged: what is no source, by its ending
// and its kind, is not given out, wherever a link leads; and nothing is opened before that is
// known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace heapledger::server {

inline constexpr uint64_t kMostSourceBytes = uint64_t{8} << 20;

struct Source {
  std::string text;
  uint64_t changed_ns = 0;  // last, since the epoch
};

// Throws Error that says why there is none.
Source read_source(const std::string& path);

}  // namespace heapledger::server
