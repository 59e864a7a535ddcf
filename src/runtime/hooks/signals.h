// Live mode with its tables in memory: a signal that ends the program by default would take them
// along. So where the disposition is the default, a handler of ours stands in for it: it has the
// tables written, and then lets the signal do what it does. Programs see their own dispositions.
#pragma once

namespace heapledger::runtime {

// From now on. Called when the library is initialised.
void watch_signals();

// Until then: the program is about to install a system call filter. Returns whether they were
// watched.
bool give_signals_back();

}  // namespace heapledger::runtime
