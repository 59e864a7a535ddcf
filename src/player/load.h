// The schedule's header and tables, read and checked: whatever is in the file, nothing that the
// player does with it afterwards goes out of bounds. (Chunks are checked as they are read.)
#pragma once

namespace heapledger::player {

// Fills the world's tables, slots and lanes, or ends the run.
void load_schedule();

}  // namespace heapledger::player
