// Starts the runtime, once, at the first call of any hook or when the library is initialised,
// whichever comes first.
#pragma once

namespace heapledger::runtime {

// True: the real allocator is known and active_mode is no longer the starting one. False: the
// start is under way (the caller is inside it, or another thread is).
bool start();

}  // namespace heapledger::runtime
