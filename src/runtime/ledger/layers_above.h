// What the lower layers ask of those above them: declared here, for whoever has to ask, and defined
// there. This is the one way upwards; nothing else below knows that there is anything above.
#pragma once

#include <cstdint>

#include "format/layout.h"

namespace heapledger::runtime {

struct Window;

// In a forked child, inside its first hook: leaves the parent's ledger and begins one of its own.
// Of several threads one does; the others go on. (bootstrap/recording.cpp)
void begin_in_child();

// In the first window of each ledger, which is open: describes the process.
// (bootstrap/recording.cpp)
void introduce_process(Window& window);

// With the window of an entry open, and the time of that entry: carries out orders from outside, if
// there are any. (modes/control.cpp)
void look_at_orders_in(Window& window, uint64_t time);

// After each memory sample, by one thread at a time, likewise: every=TIME. `rss` is 0 when it could
// not be read. (modes/every.cpp)
void summarize_when_due(Window& window, uint64_t time, const format::ClockPair& now, uint64_t rss);

// What a mode needs before its first call, with it in force. (bootstrap/log_place.cpp)
void prepare_mode();

}  // namespace heapledger::runtime
