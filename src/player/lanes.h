// The lanes as threads: begun by kSpawn of other lanes, on stacks of the player's own.
#pragma once

#include <stdint.h>

#include "player/lane_run.h"

namespace heapledger::player {

// Memory for their stacks; before the first call.
void prepare_lanes();
// Plays lane 0 in the calling thread, and all others; returns when all have ended.
void play_all();

// Begins a lane, once the first `after` lanes of the schedule's ends have ended.
void spawn_lane(LaneRun& run, uint32_t lane, uint32_t after);
// Until the lane has freed so many blocks.
void await_frees(LaneRun& run, uint32_t lane, uint32_t freed);
// Until so many nanoseconds after the start, when played in real time.
void pause_until(LaneRun& run, uint64_t ns);

}  // namespace heapledger::player
