// Live statistics of the process and of each thread, beside any mode: a table of functions that
// does what the mode's own do and counts on top of it. Kept only when asked for (statistics=on,
// every=, skip-smaller-than=); otherwise the mode's own functions are used and it costs nothing.
//
// Live sizes are what malloc_usable_size says. The sums are exact, whatever signals and threads do.
// So is the peak while there is one thread; each further one keeps up to 16 KiB to itself before it
// tells the others, so with N threads the peak is right within N times 16 KiB.
#pragma once

#include <cstdint>

#include "format/count_table.h"
#include "runtime/modes/mode.h"

namespace heapledger::runtime {

struct Statistics {
  uint64_t calls = 0;  // that returned a block, resizes included
  uint64_t bytes = 0;  // that they asked for
  uint64_t frees = 0;  // of blocks, by realloc to nothing as well
  uint64_t resizes = 0;
  int64_t live_blocks = 0;  // of one thread: what it took less what it gave back
  int64_t live_bytes = 0;
  uint64_t peak_bytes = 0;                    // most live bytes so far
  uint64_t sizes[format::kSizeClasses] = {};  // calls, by format::size_class of what was asked
};

// Whether the settings ask for them.
bool statistics_wanted();

// The functions of a mode with statistics on top. A mode it does not know stays as it is.
const Mode* with_statistics(const Mode* mode);

// As of now. False: none are kept, or this thread has none yet. Thread-safe, signal-safe.
bool read_statistics(Statistics& statistics, bool this_thread);

// What all threads, or this one, had at the last restart_figures(); nothing, if it has begun since.
void read_at_clear(Statistics& statistics, bool this_thread);

// Peaks count from now on, and what each thread has is remembered. Of two at once either may win,
// word by word. Does nothing where no statistics are kept.
void restart_figures();

// In a forked child: what is live stays, everything else begins at 0.
void restart_statistics_after_fork();

}  // namespace heapledger::runtime
