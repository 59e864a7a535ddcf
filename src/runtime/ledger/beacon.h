// Tells every hook, with one load, whether recording is on. The words live in a page that the
// kernel zeroes in a forked child, so a child finds recording off without anyone having told it:
// fork, _Fork and raw clone alike. A vfork child shares the page and goes on as its parent, whose
// heap it shares.
#pragma once

#include <cstdint>

namespace heapledger::runtime {

struct Beacon {
  uint64_t recording;  // nonzero while entries are being made
  uint64_t alone;      // nonzero while they are, and no more than one thread has made any
  uint64_t alive;      // nonzero in the process that set the beacon up: zero after a fork
  uint64_t ending;     // nonzero when a signal is about to end the process (ledger/ending.h)
};

extern volatile Beacon* beacon __attribute__((visibility("hidden")));  // never null

// Puts the beacon into a page of its own that forks wipe. False: no memory.
bool raise_beacon();

// The same by hand, for fork() on kernels that cannot wipe pages.
void wipe_beacon();

}  // namespace heapledger::runtime
