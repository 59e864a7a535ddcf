// `heapledger top` on a terminal, until somebody has seen enough or the process has ended.
#pragma once

#include "cli/top/screen.h"

namespace heapledger::cli::top {

// `first`: what `reader` has read first. Returns the exit status. Throws Error when there is no
// terminal, or something cannot be read; the terminal is as it was then.
int watch_top(TopReader& reader, TopReading first, TopState state);

}  // namespace heapledger::cli::top
