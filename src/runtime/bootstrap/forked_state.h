// What becomes in a forked child of all that a process keeps for its recording. state.md has every
// piece of it, and what becomes of it; a check compares that with the library and with the list
// here.
#pragma once

namespace heapledger::runtime {

// Once, by the thread that begins the child's ledger. The header of the parent's stays mapped.
void reset_after_fork();

}  // namespace heapledger::runtime
