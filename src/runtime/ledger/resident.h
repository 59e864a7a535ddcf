// Entries of what is resident by mapping (format/resident.h). To look takes the kernel tens of
// nanoseconds for each page and microseconds for each mapping, so this is done seldom: when the
// resident memory is at a new height or has changed by much, and at the end; and never for more
// than a hundredth of the time, a first millisecond aside. Trace mode only.
#pragma once

#include <cstdint>

#include "runtime/ledger/window.h"

namespace heapledger::runtime {

enum class LookAt { kSample, kExit };

// By one thread at a time, where system calls are allowed: enters what is resident, if it is time
// to look. `rss` is what was sampled just now.
void look_at_mappings(Window& window, uint64_t time, uint64_t monotonic_ns, uint64_t rss,
                      LookAt when);

// After a fork: as if the process had just begun.
void restart_looks();

}  // namespace heapledger::runtime
