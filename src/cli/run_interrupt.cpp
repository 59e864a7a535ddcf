#include "cli/run_interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace heapledger {
namespace {

constexpr std::array kEnding = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
constexpr std::array kIgnored = {SIGXFSZ, SIGPIPE};
constexpr unsigned kPatienceSeconds = 1;

// For the handler, which has nothing else to go by.
volatile sig_atomic_t exit_status = 0;
volatile sig_atomic_t writing = 0;
volatile sig_atomic_t asked = 0;
const char* volatile last_words = "";

void on_signal(int signal) {
  if (writing != 0 && asked == 0 && signal != SIGALRM) {
    asked = 1;
    ::alarm(kPatienceSeconds);
    return;
  }
  const char* const words = last_words;
  [[maybe_unused]] const ssize_t said = ::write(STDERR_FILENO, words, std::strlen(words));
  ::_exit(exit_status);
}

}  // namespace

struct EndEarly::Before {
  std::array<struct sigaction, kEnding.size()> ending;
  std::array<struct sigaction, kIgnored.size()> ignored;
  struct sigaction alarm;
};

EndEarly::EndEarly(int exit_code, const char* message) : before_(new Before) {
  exit_status = exit_code;
  last_words = message;
  writing = 0;
  asked = 0;
  struct sigaction ours = {};
  ours.sa_handler = on_signal;
  ours.sa_flags = SA_RESTART;
  for (size_t i = 0; i < kEnding.size(); ++i) {
    ::sigaction(kEnding[i], nullptr, &before_->ending[i]);
    if (before_->ending[i].sa_handler != SIG_IGN) ::sigaction(kEnding[i], &ours, nullptr);
  }
  ::sigaction(SIGALRM, &ours, &before_->alarm);
  ours.sa_handler = SIG_IGN;
  for (size_t i = 0; i < kIgnored.size(); ++i) {
    ::sigaction(kIgnored[i], &ours, &before_->ignored[i]);
  }
}

EndEarly::~EndEarly() {
  if (asked != 0) ::alarm(0);
  for (size_t i = 0; i < kEnding.size(); ++i) {
    ::sigaction(kEnding[i], &before_->ending[i], nullptr);
  }
  for (size_t i = 0; i < kIgnored.size(); ++i) {
    ::sigaction(kIgnored[i], &before_->ignored[i], nullptr);
  }
  ::sigaction(SIGALRM, &before_->alarm, nullptr);
  delete before_;
}

void EndEarly::begin_writing() {
  writing = 1;
}

void EndEarly::check() const {
  if (asked != 0) throw Interrupted();
}

}  // namespace heapledger
