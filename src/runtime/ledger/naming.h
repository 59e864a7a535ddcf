// From the user's pattern to the path of this process's ledger.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/os/os.h"
#include "runtime/os/text.h"

namespace heapledger::runtime {

inline constexpr size_t kMaxPath = 4096;
using PathText = os::Text<kMaxPath>;

// The facts that a pattern can ask for.
struct NameFacts {
  const char* executable;  // %e, base name of what was executed
  const char* host;        // %h
  const char* job;         // %j
  const char* rank;        // %r
  uint64_t process;        // %p
  uint64_t seconds;        // %t, since the epoch
};

// Expands %e %h %j %p %r %t %%; a relative result is put below `folder`. False: it did not fit, or
// the pattern has an unknown letter.
bool expand_pattern(const char* pattern, const NameFacts& facts, const char* folder,
                    PathText& path);

// The n-th name to try (n >= 2) when `path` is taken: `x.ledger` becomes `x.2.ledger`.
bool numbered_name(const PathText& path, unsigned number, PathText& numbered);

// A file that goes along with a ledger: `x.ledger` and ".log" make `x.log`.
bool companion_name(const PathText& ledger, const char* ending, PathText& path);

}  // namespace heapledger::runtime
