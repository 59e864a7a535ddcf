#include "runtime/ledger/clock.h"

namespace heapledger::runtime {

constinit Clock clock_choice = {true, os::kTickShift};

void choose_clock() {
  clock_choice.counter = os::counter_is_steady();
  clock_choice.shift = clock_choice.counter ? os::kTickShift : 0;
}

format::ClockPair clock_pair() {
  os::Clocks clocks = os::read_clocks();
  return {now_ticks(), clocks.monotonic_ns, clocks.realtime_ns};
}

}  // namespace heapledger::runtime
