// The first call of any hook starts the runtime: the exported functions jump through active_mode,
// which points here until the real allocator is known and the recording has begun (or not).
#include "runtime/bootstrap/start.h"

#include "runtime/bootstrap/next.h"
#include "runtime/bootstrap/recording.h"
#include "runtime/bootstrap/resolve.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/modes/choose_mode.h"
#include "runtime/modes/early_calls.h"
#include "runtime/modes/guard.h"
#include "runtime/modes/make_mode.h"
#include "runtime/modes/real_heap.h"

namespace heapledger::runtime {
namespace {

enum class Phase { kNone, kResolving, kReady };
constinit std::atomic<Phase> phase{Phase::kNone};

// Until the real allocator is known.
struct Starting {
  template <Function function, typename... Arguments>
  static auto call(const Caller& caller, Arguments... arguments) {
    if (!start()) return early<function>(arguments...);
    const Mode* mode = active_mode.load(std::memory_order_acquire);
    return (mode->*kModeMember<function>)(arguments..., caller.pc, caller.sp, caller.bp);
  }
};

constexpr Mode kStartingMode = make_mode<Starting>();

}  // namespace

constinit std::atomic<const Mode*> active_mode{&kStartingMode};

bool start() {
  Phase seen = Phase::kNone;
  if (!phase.compare_exchange_strong(seen, Phase::kResolving)) return seen == Phase::kReady;
  bool wanted = read_settings();
  if (wanted && settings_in_force.allocator.given()) wanted = load_allocator();
  if (real_heap.malloc == nullptr && !resolve_real_heap()) return false;
  find_next_definitions();
  // From here on calls are served; they are entered as soon as there is a ledger.
  active_mode.store(&kPassThroughMode, std::memory_order_release);
  phase.store(Phase::kReady, std::memory_order_release);
  if (wanted) find_bypass();
  if (wanted && begin_recording()) {
    put_guard_up(settings_in_force.guard);
    active_mode.store(functions_of(settings_in_force.mode), std::memory_order_release);
  }
  return true;
}

}  // namespace heapledger::runtime
