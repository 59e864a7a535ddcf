// A signal ends the process, and what it holds is to be written before: for that long its other
// threads stand still at their next heap call, so that all of it is of one moment. To the program
// it is as if they had not got a processor again.
//
// Thread safety: all of it. May be called in a handler that interrupted anything.
#pragma once

namespace heapledger::runtime {

// Ends the making of records, and waits, for a bounded time, until no other thread is inside a
// hook. Does not come back if another thread has been here before: that one ends the process.
void begin_ending();

// For hooks that find recording off: does not come back in a process that is ending.
void stand_still_if_ending();

}  // namespace heapledger::runtime
