// Log mode: every call becomes a line of text, whether it succeeded or not.
//
// A free's line is written before the real free, all others after the real call: so an address that
// is used again is seen freed first (realloc, which is both, excepted). A line is one write() to
// its place, nothing waits in a buffer: whatever ends the process, all lines are there. The ledger
// gets none of the calls; it has the modules and, with log=stack, the sites, so that addresses can
// be given names, and it counts the lines that could not be written.
#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/modes/control.h"
#include "runtime/modes/log_line.h"
#include "runtime/modes/make_mode.h"
#include "runtime/modes/real_calls.h"
#include "runtime/unwind/site_trie.h"

namespace heapledger::runtime {
namespace {

// The window's buffer for lines; null if there is none to be had.
char* buffer_of(Window& window) {
  if (window.line == nullptr) window.line = static_cast<char*>(os::map_private(kMaxLine));
  return window.line;
}

void add_time(LogLine& line) {
  uint64_t ns = os::read_clocks().monotonic_ns - ledger_header()->start.monotonic_ns;
  line.decimal(ns / 1'000'000'000);
  line.text(".");
  line.decimal(ns % 1'000'000'000, 9);
  line.text("\t");
}

// The return addresses, the innermost first. Where a stack is not whole, or longer than a line, an
// ellipsis ends it.
void add_stack(LogLine& line, Window& window, const Caller& caller) {
  line.text("\t");
  uint32_t site = site_of(window, caller, now_units());
  if (site == kNoSite) return line.hex(caller.pc);
  for (const char* between = ""; site != kNoSite; between = " ") {
    uint64_t pc = site_pc(site);
    line.text(between);
    if (pc < format::kFirstCode || !line.has_room()) return line.text("…");
    line.hex(pc);
    site = site_parent(site);
  }
}

const char* name_of(int error) {
  return error == ENOMEM ? "ENOMEM" : error == EINVAL ? "EINVAL" : "failed";
}

// One call: made, given its arguments, ended with its result. Does nothing when it interrupts
// another hook of the same thread; that has been counted.
class LoggedCall {
 public:
  LoggedCall(const char* function, const Caller& caller)
      : caller_(caller), line_(guard_ && !filter_expected() ? buffer_of(*guard_) : nullptr) {
    if (!guard_) return;
    usable_ = !filter_expected() && (*guard_).line != nullptr;
    if (!usable_) return;
    if (settings_in_force.log_time) add_time(line_);
    if (settings_in_force.log_thread) {
      line_.decimal((*guard_).owner.load(std::memory_order_relaxed));
      line_.text("\t");
    }
    line_.text(function);
  }

  template <typename... Arguments>
  LoggedCall& with(Arguments... arguments) {
    if (usable_) (add(arguments), ...);
    return *this;
  }

  void gives(const void* block, int error) {
    if (!usable_) return end();
    line_.text("\t");
    if (error == 0) {
      line_.hex(reinterpret_cast<uint64_t>(block));
    } else {
      line_.text(name_of(error));
    }
    end();
  }
  void gives_number(uint64_t value) {
    if (!usable_) return end();
    line_.text("\t");
    line_.decimal(value);
    end();
  }
  void gives_nothing() {
    if (usable_) line_.text("\t-");
    end();
  }

 private:
  void add(size_t number) {
    separate();
    line_.decimal(number);
  }
  void add(const void* block) {
    separate();
    line_.hex(reinterpret_cast<uint64_t>(block));
  }
  void add(void**) {}  // where the result goes

  void separate() {
    line_.text(first_ ? "\t" : " ");
    first_ = false;
  }

  void end() {
    if (!guard_) return;
    if (usable_ && settings_in_force.log_stack) add_stack(line_, *guard_, caller_);
    if (!usable_ || !log_line((*guard_).line, line_.end())) ++(*guard_).extent->missed;
  }

  EntryGuard guard_;
  const Caller& caller_;
  LogLine line_;
  bool usable_ = false;
  bool first_ = true;
};

// To zero bytes a resize frees, and null is no failure.
template <typename... Sizes>
bool frees(const void* block, Sizes... sizes) {
  return block != nullptr && bytes_of(sizes...) == 0;
}

// What went wrong with a call that gave `block`; errno is as the real call left it.
template <Function function, typename... Arguments>
int error_of(const void* block, Arguments... arguments) {
  if constexpr (act_of(function) == Act::kResize) {
    if (frees(arguments...)) return 0;
  }
  return block == nullptr ? errno : 0;
}
template <Function, typename... Arguments>
int error_of(int error, Arguments...) {
  return error;
}

struct Log {
  template <Function function, typename... Arguments>
  __attribute__((always_inline)) static auto call(const Caller& caller, Arguments... arguments) {
    constexpr const char* kName = format::name_of(function);
    if (function == Function::kMalloc && __builtin_expect(orders_waiting(), 0)) look_at_orders();
    if constexpr (act_of(function) == Act::kDeath) {
      LoggedCall(kName, caller).with(arguments...).gives_nothing();
      real<function>(arguments...);
    } else if constexpr (act_of(function) == Act::kQuestion) {
      size_t size = real<function>(arguments...);
      LoggedCall(kName, caller).with(arguments...).gives_number(size);
      return size;
    } else {
      auto result = real<function>(arguments...);
      LoggedCall(kName, caller)
          .with(arguments...)
          .gives(given(result, arguments...), error_of<function>(result, arguments...));
      return result;
    }
  }
};

}  // namespace

constinit const Mode kLogMode = make_mode<Log>();

}  // namespace heapledger::runtime
