// The system calls of an allocator, counted by tracing the player's process: those between its
// marks (player/results.h), of all threads, that its own code did not make.
#pragma once

#include <optional>
#include <string>

#include "replay/play.h"
#include "replay/play_process.h"

namespace heapledger {

struct TracedPlay {
  bool traced = false;  // else it has not begun yet: somebody has to let it go, and wait for it
  int status = 0;       // of its end
  std::optional<SystemCalls> calls;
  std::string why_not_counted;
};

// Lets the process go, traced, and waits for its end.
TracedPlay trace_to_its_end(PlayerProcess& process, double limit_seconds);

}  // namespace heapledger
