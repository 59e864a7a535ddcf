// Memory samples that somebody outside has taken of a process, added to its raw ledger after its
// end, as a stream of their own. Whoever reads the ledger finds them among the process's own.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace heapledger {

struct OutsideSample {
  uint64_t monotonic_ns = 0;  // CLOCK_MONOTONIC
  uint64_t rss_bytes = 0;
  uint64_t highest_bytes = 0;  // the high-water mark of that
  uint64_t file_bytes = 0;     // the part of it that is of mapped files and shared memory
};

// In the order of time; those from before the recording or from behind its end are left out. False
// when nothing was added: the ledger is sealed, damaged, or of a kind that has no samples, has some
// from outside already, or cannot be written to. It is as it was then. Only for a file that nobody
// else writes to. A process that is killed while it is at this leaves the ledger without them.
bool add_memory_samples(const std::string& path, std::span<const OutsideSample> samples);

}  // namespace heapledger
