// The page of a recording as one file to send: what it shows first and the answers at some moments
// are inside, so that it asks nobody. No sources, and no filters or ranges.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "server/opening.h"

namespace heapledger::cli::view {

inline constexpr size_t kMostFileBytes = size_t{5} << 20;

struct OneFile {
  std::string page;
  size_t moments = 0;  // that it has answers of
  size_t rows = 0;     // of each table, at the most
};

// As much as goes into `most_bytes`; `told` how many of the moments are done.
OneFile one_file(const server::Shown& shown, size_t most_bytes,
                 const std::function<void(uint64_t done, uint64_t total)>& told);

}  // namespace heapledger::cli::view
