// What is done last in a process that ends by itself or by a signal.
#pragma once

namespace heapledger::runtime {

// Whether somebody has begun it.
bool last_act_begun();

// Leaves a whole ledger: with the tables of live mode, where they are in memory; or none, where the
// process is too small to be kept (false). Once for each process: whoever comes second waits until
// it is done. Signals are kept from the calling thread meanwhile.
bool last_act();

}  // namespace heapledger::runtime
