// How a run ends before its end: with an outcome and a text for the user, from any lane.
#pragma once

#include "player/results.h"

namespace heapledger::player {

// The first one counts; whoever comes later waits for the process to be gone.
[[noreturn]] [[gnu::cold]] [[gnu::noinline]] [[gnu::format(printf, 2, 3)]] void end_run(
    results::Outcome outcome, const char* format, ...);

}  // namespace heapledger::player
