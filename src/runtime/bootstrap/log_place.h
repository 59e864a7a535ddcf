// Tells log mode where its lines go: to the descriptor or the file that the settings name.
#pragma once

namespace heapledger::runtime {

// Where log mode is in force: at the start, in a forked child, and when the mode has been changed.
// Does nothing in other modes. Not for two threads at once.
void find_log_place();

}  // namespace heapledger::runtime
