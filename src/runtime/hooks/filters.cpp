// Notices that the program installs a system call filter (seccomp) or forbids the tick counter:
// from then on a system call or a time stamp of ours could be the program's death. The calls
// themselves are passed on untouched, and the kernel's answer says what has come of them: libraries
// ask for filters just to see which kinds there are.
#include "runtime/hooks/filters.h"

#include <hook_form.h>
#include <linux/prctl.h>  // not sys/prctl.h: it declares prctl() otherwise
#include <linux/seccomp.h>

#include <sys/syscall.h>

#include "runtime/bootstrap/start.h"
#include "runtime/hooks/signals.h"
#include "runtime/ledger/beacon.h"
#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/file.h"
#include "runtime/ledger/memory_sample.h"
#include "runtime/os/descriptor_gate.h"
#include "runtime/unwind/site.h"

HEAPLEDGER_BEFORE(prctl)
HEAPLEDGER_BEFORE(syscall)

namespace heapledger::runtime {
namespace {

using format::StopReason;

// What a call will have forbidden if it succeeds.
enum class Forbids { kNothing, kSystemCalls, kSystemCallsAndTicks, kTicks };

struct Attempt {
  Forbids forbids = Forbids::kNothing;
  unsigned long flags = 0;       // of a filter
  const void* filter = nullptr;  // likewise
};

Attempt attempt_of_seccomp(unsigned long operation, unsigned long flags, unsigned long argument) {
  switch (static_cast<unsigned>(operation)) {
    case SECCOMP_SET_MODE_STRICT:
      return {Forbids::kSystemCallsAndTicks};
    case SECCOMP_SET_MODE_FILTER:
      return {Forbids::kSystemCalls, flags, reinterpret_cast<const void*>(argument)};
    default:
      return {};
  }
}

Attempt attempt_of_prctl(int option, unsigned long second, unsigned long third) {
  if (option == PR_SET_TSC && second == PR_TSC_SIGSEGV) return {Forbids::kTicks};
  if (option != PR_SET_SECCOMP) return {};
  if (second == SECCOMP_MODE_STRICT) return {Forbids::kSystemCallsAndTicks};
  if (second != SECCOMP_MODE_FILTER) return {};
  return {Forbids::kSystemCalls, 0, reinterpret_cast<const void*>(third)};
}

// A positive number is a descriptor, or the thread for which it could not be done.
bool is_installed(const Attempt& attempt, long result) {
  return result == 0 || (result > 0 && (attempt.flags & SECCOMP_FILTER_FLAG_NEW_LISTENER) != 0);
}

// With the filter in force in other threads at once, it must not hit them in a file operation.
void wait_for_operations() {
  if (hook_at_work()) return;
  os::RangeClosing all(0, ~0u);
  all.wait_for_ours();
}

// A forked child begins its ledger, and whatever it needs to find sites.
void begin_child() {
  EntryGuard begin(Missed::kNothing);
  if (begin) site_without_stack(*begin, now_units());
}

// A handler of ours could not even end the program behind a filter.
class SignalsGivenBack {
 public:
  SignalsGivenBack() : were_watched_(give_signals_back()) {}
  void undo() const {
    if (were_watched_) watch_signals();
  }

 private:
  bool were_watched_;
};

// The filter must find everything prepared.
template <typename Call>
long install_filter(const Attempt& attempt, Call call) {
  // Where nothing can be read there is no filter. That is how its flags are tried out.
  if (attempt.filter == nullptr || !os::is_readable(attempt.filter)) {
    long result = call();
    if (is_installed(attempt, result)) filter_installed(StopReason::kSeccomp);
    return result;
  }
  start();
  if (beacon->alive == 0) begin_child();
  SignalsGivenBack signals;
  expect_filter();
  if ((attempt.flags & SECCOMP_FILTER_FLAG_TSYNC) != 0) wait_for_operations();
  long result = call();
  if (!is_installed(attempt, result)) {
    filter_refused();
    signals.undo();
    memory_due.store(0, std::memory_order_relaxed);
  }
  return result;
}

// These are about the calling thread alone. Until the answer is known, it makes no entries: a
// signal handler may come first.
template <typename Call>
long forbid_ticks(StopReason reason, Call call) {
  ThreadHeld held;
  SignalsGivenBack signals;
  long result = call();
  if (result == 0) {
    filter_installed(reason);
  } else {
    signals.undo();
  }
  return result;
}

template <typename Call>
long watch(const Attempt& attempt, Call call) {
  switch (attempt.forbids) {
    case Forbids::kNothing:
      break;
    case Forbids::kSystemCalls:
      return install_filter(attempt, call);
    case Forbids::kSystemCallsAndTicks:
      return forbid_ticks(StopReason::kSeccomp, call);
    case Forbids::kTicks:
      return forbid_ticks(StopReason::kNoTicks, call);
  }
  return call();
}

}  // namespace

extern "C" void* heapledger_find_syscall() {
  void* next = HEAPLEDGER_NEXT(syscall, void*);
  heapledger_next_syscall = next;
  return next;
}

extern "C" long heapledger_filter_syscall(long number, unsigned long first, unsigned long second,
                                          unsigned long third, unsigned long fourth,
                                          unsigned long fifth) {
  using Syscall =
      long (*)(long, unsigned long, unsigned long, unsigned long, unsigned long, unsigned long);
  auto next = HEAPLEDGER_NEXT(syscall, Syscall);
  Attempt attempt = static_cast<int>(number) == SYS_seccomp
                        ? attempt_of_seccomp(first, second, third)
                        : attempt_of_prctl(static_cast<int>(first), second, third);
  return watch(attempt, [=] { return next(number, first, second, third, fourth, fifth); });
}

}  // namespace heapledger::runtime

// NOLINTBEGIN: the name is libc's.
extern "C" __attribute__((visibility("default"))) int HEAPLEDGER_HOOK(prctl)(int option,
                                                                             unsigned long second,
                                                                             unsigned long third,
                                                                             unsigned long fourth,
                                                                             unsigned long fifth) {
  using namespace heapledger::runtime;
  using Prctl = int (*)(int, unsigned long, unsigned long, unsigned long, unsigned long);
  auto next = HEAPLEDGER_NEXT(prctl, Prctl);
  return static_cast<int>(watch(attempt_of_prctl(option, second, third),
                                [=] { return long{next(option, second, third, fourth, fifth)}; }));
}
// NOLINTEND
