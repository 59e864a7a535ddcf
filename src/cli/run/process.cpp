#include "cli/run/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "analyzer/error.h"
#include "cli/run/environment.h"
#include "cli/run/exit.h"
#include "cli/shared/exit_status.h"

namespace heapledger::cli::run {
namespace {

// Of the terminal, which sends them to the program as well: we only outlive them.
constexpr std::array kOutlived = {SIGINT, SIGQUIT};
constexpr std::array kPassedOn = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

// The signals that concern us, held back for as long as the program runs and taken one by one
// where we wait, so that none can end us, be lost, or interrupt anything. Undone in the child.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&held_);
    sigaddset(&held_, SIGCHLD);
    for (const int signal : kOutlived) sigaddset(&held_, signal);
    for (const int signal : kPassedOn) {
      // Ignored from the start (nohup): the program ignores it too, and so do we.
      struct sigaction now;
      ::sigaction(signal, nullptr, &now);
      if (now.sa_handler != SIG_IGN) sigaddset(&held_, signal);
    }
    ::sigprocmask(SIG_BLOCK, &held_, &old_mask_);
    // Where SIGCHLD is ignored the kernel keeps no exit status for us to pass on.
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &standard, &old_child_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() { release(); }

  // As it was when we were started.
  void release() const {
    ::sigaction(SIGCHLD, &old_child_, nullptr);
    ::sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
  }

  siginfo_t next() const {
    siginfo_t info = {};
    while (::sigwaitinfo(&held_, &info) < 0) {
    }
    return info;
  }

  // What the terminal sent together with the end of the program must not end us now.
  void drop_outlived() const {
    sigset_t outlived;
    sigemptyset(&outlived);
    for (const int signal : kOutlived) sigaddset(&outlived, signal);
    const timespec at_once = {};
    while (::sigtimedwait(&outlived, nullptr, &at_once) > 0) {
    }
  }

 private:
  sigset_t held_;
  sigset_t old_mask_;
  struct sigaction old_child_;
};

bool is_passed_on(const siginfo_t& info) {
  // From the kernel (a terminal that hangs up) it reaches the whole group, the program included.
  return info.si_code <= 0 &&
         std::find(kPassedOn.begin(), kPassedOn.end(), info.si_signo) != kPassedOn.end();
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// The errno of a failed exec, or 0 once the pipe closes because exec has succeeded.
int exec_error_from(int pipe) {
  int error = 0;
  ssize_t got;
  do {
    got = ::read(pipe, &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof error) ? error : 0;
}

ProgramEnd wait_for(pid_t pid, const HeldSignals& signals) {
  int status = 0;
  // Only we reap it, so its number is its own for as long as signals are passed on.
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    const siginfo_t info = signals.next();
    if (is_passed_on(info)) ::kill(pid, info.si_signo);
  }
  signals.drop_outlived();
  ProgramEnd end;
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
  } else {
    end.exit_status = WEXITSTATUS(status);
  }
  return end;
}

ErrorWithStatus start_failure(int error) {
  return ErrorWithStatus(std::string("The program could not be started: ") + std::strerror(error) +
                             ". Try again when the machine has processes and descriptors to spare.",
                         kExitOurs);
}

}  // namespace

ProgramEnd run_to_end(const std::vector<std::string>& command,
                      const std::vector<std::string>& environment,
                      const std::function<void(const ProgramEnd&)>& ended) {
  const std::vector<char*> arguments = pointers_to(command);
  const std::vector<char*> variables = pointers_to(environment);
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) throw start_failure(errno);

  const HeldSignals signals;
  const pid_t pid = ::fork();
  if (pid == 0) {
    signals.release();
    name_owner(variables.data());
    ::execvpe(arguments[0], arguments.data(), variables.data());
    const int error = errno;
    // Nothing can be done if even this fails; the parent then sees an empty pipe and status 125.
    [[maybe_unused]] const ssize_t sent = ::write(pipe[1], &error, sizeof error);
    ::_exit(kExitOurs);
  }
  const int fork_error = errno;
  ::close(pipe[1]);
  ProgramEnd end;
  if (pid > 0) {
    const int exec_error = exec_error_from(pipe[0]);
    end = wait_for(pid, signals);
    end.exec_error = exec_error;
    ended(end);
  }
  ::close(pipe[0]);
  if (pid < 0) throw start_failure(fork_error);
  return end;
}

}  // namespace heapledger::cli::run
