// Orders from outside, through the ledger's shared mapping (format::Control): `heapledger ctl`
// writes words there, and a hook of the program notices and carries them out. No signal, no thread,
// no descriptor.
//
// Trace mode is served by its memory samples, every 10 ms (ledger/memory_sample.h), count mode by
// its looks after the rest; the other modes call `if (orders_waiting()) look_at_orders();`
// themselves, off mode in each of its functions. (Inside a hook: look_at_orders_in, in
// ledger/layers_above.h.)
//
// Thread safety: any thread at any time; a handler that interrupted a hook leaves orders alone.
#pragma once

#include <cstdint>

#include "runtime/ledger/window.h"

namespace heapledger::runtime {

struct OrderWatch {
  const uint64_t* requested;  // in the ledger's header; a zero of our own before there is one
  uint64_t seen;
};
extern OrderWatch order_watch __attribute__((visibility("hidden")));

// Two loads and a compare.
inline bool orders_waiting() {
  return __atomic_load_n(__atomic_load_n(&order_watch.requested, __ATOMIC_RELAXED),
                         __ATOMIC_RELAXED) != __atomic_load_n(&order_watch.seen, __ATOMIC_RELAXED);
}

// Carries out what is asked for. Not with a window open.
void look_at_orders();

// A ledger was made, and orders come by it; or it is about to be dropped.
void watch_orders();
void forget_orders();

// The next hook looks, whether there are orders or not: something waits to be entered.
void look_again_for_orders();

}  // namespace heapledger::runtime
