// Advances several replays together, so that what happened at the same time in different processes
// is seen at the same time. Each runs on by itself until another one's turn has come.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "analyzer/replay.h"

namespace heapledger {

// Plays all of them to their ends; `ended` is called with the number of each one when it ends,
// after which that replay is not touched again.
void run_in_common_time(const std::vector<Replay*>& replays,
                        const std::function<void(size_t)>& ended);

}  // namespace heapledger
