#include "cli/run/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <string_view>

namespace heapledger::cli::run {
namespace {

constexpr std::array kEndingSignals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
constexpr std::array kIgnored = {SIGXFSZ, SIGPIPE};
constexpr unsigned kPatienceSeconds = 1;
constexpr std::string_view kInterrupted =
    "\nheapledger: interrupted; the ledgers are whole, and can be sealed later: heapledger seal\n";

// For the handler, which has nothing else to go by.
volatile sig_atomic_t exit_status = 0;
volatile sig_atomic_t silent = 0;
volatile sig_atomic_t writing = 0;
volatile sig_atomic_t stop_asked = 0;

void say_interrupted() {
  if (silent != 0) return;
  [[maybe_unused]] const ssize_t said =
      ::write(STDERR_FILENO, kInterrupted.data(), kInterrupted.size());
}

void on_signal(int signal) {
  if (writing != 0 && stop_asked == 0 && signal != SIGALRM) {
    stop_asked = 1;
    ::alarm(kPatienceSeconds);
    return;
  }
  say_interrupted();
  ::_exit(exit_status);
}

}  // namespace

EndEarly::EndEarly(int exit_code, bool quiet) {
  exit_status = exit_code;
  silent = quiet ? 1 : 0;
  struct sigaction ours = {};
  ours.sa_handler = on_signal;
  ours.sa_flags = SA_RESTART;
  for (const int signal : kEndingSignals) {
    struct sigaction before;
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &ours, nullptr);
  }
  ::sigaction(SIGALRM, &ours, nullptr);
  ours.sa_handler = SIG_IGN;
  for (const int signal : kIgnored) ::sigaction(signal, &ours, nullptr);
}

// All is done: who interrupts us now misses nothing, and the status is the same.
EndEarly::~EndEarly() {
  ::alarm(0);
  silent = 1;
  writing = 0;
}

void EndEarly::begin_writing() {
  writing = 1;
}

void EndEarly::check() const {
  if (stop_asked != 0) throw Interrupted();
}

void EndEarly::say() const {
  say_interrupted();
}

}  // namespace heapledger::cli::run
