// The functions that change what a signal does: passed on, but a handler of ours, which the program
// cannot know, is the default for them (signals.h).
#include "runtime/hooks/signals.h"

#include <hook_form.h>
#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <cerrno>

#include "runtime/hooks/last_act.h"
#include "runtime/ledger/beacon.h"
#include "runtime/ledger/clock.h"
#include "runtime/ledger/ending.h"
#include "runtime/ledger/file.h"
#include "runtime/ledger/live_image.h"
#include "runtime/os/os.h"

using Disposition = struct sigaction;
using Handler = void (*)(int);

HEAPLEDGER_BEFORE(sigaction)
HEAPLEDGER_BEFORE(signal)
HEAPLEDGER_BEFORE(bsd_signal)
HEAPLEDGER_BEFORE(ssignal)
HEAPLEDGER_BEFORE(sysv_signal)
HEAPLEDGER_BEFORE(__sysv_signal)
HEAPLEDGER_BEFORE(sigset)
HEAPLEDGER_BEFORE(siginterrupt)

namespace heapledger::runtime {
namespace {

// Those that end a program because somebody or something wants it to end. Not those of a crash: the
// core has the tables, and there is nothing left to stand on.
constexpr int kWatched[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM,
                            SIGTERM, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ, SIGIO,   SIGPWR};
constexpr int kMostSignals = 64;

constinit std::atomic<bool> watching{false};
// What the program has asked for where our handler is: the default, with its flags and mask.
constinit Disposition asked[kMostSignals + 1] = {};

int real_sigaction(int signal, const Disposition* wanted, Disposition* before) {
  auto next = HEAPLEDGER_NEXT(sigaction, int (*)(int, const Disposition*, Disposition*));
  return next(signal, wanted, before);
}

bool is_watched(int signal) {
  for (int watched : kWatched) {
    if (watched == signal) return true;
  }
  return false;
}

void on_signal(int signal, siginfo_t* info, void* context);

bool is_ours(const Disposition& disposition) {
  return disposition.sa_sigaction == on_signal;
}

bool is_ours(Handler handler) {
  return reinterpret_cast<void*>(handler) == reinterpret_cast<void*>(on_signal);
}

// Puts our handler where the default is.
void watch(int signal) {
  Disposition now;
  if (real_sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
  asked[signal] = now;
  Disposition ours = {};
  ours.sa_sigaction = on_signal;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigfillset(&ours.sa_mask);
  if (real_sigaction(signal, &ours, &now) != 0) return;
  // Another thread was quicker: what it wants stays.
  if (now.sa_handler != SIG_DFL && !is_ours(now)) real_sigaction(signal, &now, nullptr);
}

// Puts the default where our handler is; false: it is not there.
bool give_back(int signal) {
  Disposition now;
  if (real_sigaction(signal, nullptr, &now) != 0 || !is_ours(now)) return false;
  return real_sigaction(signal, &asked[signal], nullptr) == 0;
}

// A vfork child has our memory and dispositions of its own, until it executes something: nothing of
// this is about it.
bool is_vfork_child() {
  const format::FileHeader* header = ledger_header();
  return beacon->alive != 0 && header != nullptr && os::process_id() != header->pid;
}

void watch_again(int signal) {
  if (!watching.load(std::memory_order_relaxed) || !is_watched(signal)) return;
  stand_still_if_ending();
  if (!is_vfork_child()) watch(signal);
}

void keep_tables() {
  // Forked, and without a ledger so far; or not the one who has it.
  if (beacon->alive == 0 || ledger_status() == Status::kIdle || is_vfork_child()) return;
  if (!last_act_begun()) {
    begin_ending();
    set_live_clock(clock_pair(), 0);
  }
  last_act();
}

// The signal comes again when this handler returns, with the default in force: so the program ends
// where it was interrupted, and a core shows it there.
void let_it_end(int signal, ucontext_t& context) {
  Disposition standard = asked[signal];
  standard.sa_handler = SIG_DFL;
  real_sigaction(signal, &standard, nullptr);
  sigdelset(&context.uc_sigmask, signal);  // it may have been let in for one call only: sigsuspend
  if (os::signal_thread(signal) != 0) os::end_process(128 + signal);
}

void on_signal(int signal, siginfo_t*, void* context) {
  Disposition now;
  // Somebody who got past our hooks has taken us for a handler before theirs, and calls it.
  if (real_sigaction(signal, nullptr, &now) != 0 || !is_ours(now)) return;
  // The first process of a container: the kernel does not let the default end it.
  if (os::process_id() == 1) return;
  keep_tables();
  let_it_end(signal, *static_cast<ucontext_t*>(context));
}

template <typename Call>
Handler change(int signal, Handler wanted, Call call) {
  Handler before = call(signal, wanted);
  if (before == SIG_ERR) return before;
  if (wanted == SIG_DFL) watch_again(signal);
  return is_ours(before) ? SIG_DFL : before;
}

}  // namespace

void watch_signals() {
  if (os::process_id() == 1 || filter_expected()) return;
  watching.store(true, std::memory_order_relaxed);
  for (int signal : kWatched) watch(signal);
}

bool give_signals_back() {
  if (!watching.load(std::memory_order_relaxed)) return false;
  if (!is_vfork_child()) watching.store(false, std::memory_order_relaxed);
  for (int signal : kWatched) give_back(signal);
  return true;
}

}  // namespace heapledger::runtime

// NOLINTBEGIN: names and signatures are libc's.
using namespace heapledger::runtime;
#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int HEAPLEDGER_HOOK(sigaction)(int signal, const Disposition* wanted,
                                        Disposition* before) noexcept {
  bool to_default = wanted != nullptr && wanted->sa_handler == SIG_DFL;
  int result = real_sigaction(signal, wanted, before);
  if (result != 0) return result;
  if (before != nullptr && is_ours(*before)) *before = asked[signal];
  if (to_default) watch_again(signal);
  return result;
}

#define CHANGES_HANDLER(name)                                                       \
  EXPORTED Handler HEAPLEDGER_HOOK(name)(int signal, Handler wanted) noexcept {     \
    return change(signal, wanted, HEAPLEDGER_NEXT(name, Handler(*)(int, Handler))); \
  }
CHANGES_HANDLER(signal)
CHANGES_HANDLER(bsd_signal)
CHANGES_HANDLER(ssignal)
CHANGES_HANDLER(sysv_signal)
CHANGES_HANDLER(__sysv_signal)
CHANGES_HANDLER(sigset)

// It changes the flags of what is there.
EXPORTED int HEAPLEDGER_HOOK(siginterrupt)(int signal, int interrupt) noexcept {
  auto next = HEAPLEDGER_NEXT(siginterrupt, int (*)(int, int));
  bool was_ours = is_watched(signal) && give_back(signal);
  int result = next(signal, interrupt);
  if (was_ours) watch_again(signal);
  return result;
}
// NOLINTEND
