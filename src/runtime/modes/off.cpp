// Off mode: every call goes straight to the real allocator, and nothing is recorded until somebody
// says so. All it costs is a look at the place where orders from outside appear. Below it the mode
// of a process whose ledger could not be made: not even that.
#include "runtime/modes/control.h"
#include "runtime/modes/make_mode.h"
#include "runtime/modes/real_calls.h"

namespace heapledger::runtime {
namespace {

struct PassThrough {
  template <Function function, typename... Arguments>
  __attribute__((always_inline)) static auto call(const Caller&, Arguments... arguments) {
    return real<function>(arguments...);
  }
};

struct Off {
  template <Function function, typename... Arguments>
  __attribute__((always_inline)) static auto call(const Caller&, Arguments... arguments) {
    if (act_of(function) != Act::kQuestion && __builtin_expect(orders_waiting(), 0)) {
      return after_orders<function>(arguments...);
    }
    return real<function>(arguments...);
  }

 private:
  // Not in the quick path, which would keep its arguments on the stack then.
  template <Function function, typename... Arguments>
  __attribute__((noinline, cold)) static auto after_orders(Arguments... arguments) {
    look_at_orders();
    return real<function>(arguments...);
  }
};

}  // namespace

constinit RealHeap real_heap = {};
constinit const Mode kPassThroughMode = make_mode<PassThrough>();
constinit const Mode kOffMode = make_mode<Off>();

}  // namespace heapledger::runtime
