// The environment of a player: that of the tool, without what would reach the allocator under test
// by accident, and with what it is asked to be.
#pragma once

#include <string>
#include <vector>

#include "replay/play.h"

namespace heapledger {

// NAME=VALUE each.
std::vector<std::string> player_environment(const char* const* own, const Candidate& candidate,
                                            const PlayOptions& options);

}  // namespace heapledger
