// Resident memory of the heap: private pages that are there now and were not before the first call.
// The player's own memory is shared, or touched before.
#pragma once

#include <stdint.h>

#include "player/lane_run.h"

namespace heapledger::player {

// Before the first call, with all memory of the player's own in place.
void start_memory();
// After the last one: fills the results' figures of memory and faults.
void stop_memory();

// The lane is at the end of a phase, and waits for all others that are to be there: so what is live
// then is what was live in the recording, and no lane is ahead of the others by more than a phase.
void pass_phase(LaneRun& run, uint32_t phase);
// The lane is at its own end.
void pass_last_phases(LaneRun& run);
// After the last lane: what lanes added to phases is made what each phase has.
void settle_phases();

}  // namespace heapledger::player
