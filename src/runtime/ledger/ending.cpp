#include "runtime/ledger/ending.h"

#include <cstdint>

#include "runtime/ledger/beacon.h"
#include "runtime/ledger/file.h"
#include "runtime/ledger/window.h"
#include "runtime/os/os.h"

namespace heapledger::runtime {
namespace {

// A hook takes microseconds, but its thread may have to wait for a processor, or be held up in a
// handler that interrupted it.
constexpr uint64_t kPatienceNs = 500'000'000;

}  // namespace

void begin_ending() {
  uint64_t none = 0;
  auto* ending = const_cast<uint64_t*>(&beacon->ending);
  if (!__atomic_compare_exchange_n(ending, &none, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    os::wait_for_ever();
  }
  // Second: whoever finds recording off finds out why.
  __atomic_store_n(&beacon->alone, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&beacon->recording, 0, __ATOMIC_SEQ_CST);
  uint64_t limit = os::read_clocks().monotonic_ns + kPatienceNs;
  while (others_in_hooks() && os::read_clocks().monotonic_ns < limit) os::yield_processor();
}

void stand_still_if_ending() {
  if (__atomic_load_n(&beacon->ending, __ATOMIC_SEQ_CST) == 0) return;
  // A vfork child has our memory, and lives on.
  if (os::process_id() == ledger_header()->pid) os::wait_for_ever();
}

}  // namespace heapledger::runtime
