// Plays the words of a lane: the loop that makes the calls.
#pragma once

#include "player/lane_run.h"

namespace heapledger::player {

using PlayLane = void (*)(LaneRun&);

// The loop for the flags of this run; each has code of its own, so that none asks what it is for.
PlayLane choose_play();

}  // namespace heapledger::player
