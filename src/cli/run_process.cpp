#include "cli/run_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "analyzer/error.h"
#include "cli/run_exit.h"

namespace heapledger {
namespace {

constexpr std::array kIgnored = {SIGINT, SIGQUIT};
constexpr std::array kPassedOn = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

// Of the one program; 0 while there is none to signal. Signal handlers have no other way to know.
volatile sig_atomic_t program_pid = 0;

void pass_on(int signal, siginfo_t* info, void*) {
  // From the kernel (a terminal that hangs up) it reaches the whole group, the program included.
  if (info->si_code > 0) return;
  const int saved = errno;
  if (program_pid > 0) ::kill(program_pid, signal);
  errno = saved;
}

// Our signal handling while the program runs. Made before the fork, with the signals held back, so
// that no moment is left in which one would end us or be lost; undone in the child and at the end.
class SignalWatch {
 public:
  SignalWatch() {
    sigset_t ours;
    sigemptyset(&ours);
    for (const int signal : kIgnored) sigaddset(&ours, signal);
    for (const int signal : kPassedOn) sigaddset(&ours, signal);
    ::sigprocmask(SIG_BLOCK, &ours, &old_mask_);
    // Where SIGCHLD is ignored the kernel keeps no exit status for us to pass on.
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &standard, &old_child_);
    for (size_t i = 0; i < kIgnored.size(); ++i) {
      struct sigaction ignore = {};
      ignore.sa_handler = SIG_IGN;
      ::sigaction(kIgnored[i], &ignore, &old_ignored_[i]);
    }
    for (size_t i = 0; i < kPassedOn.size(); ++i) {
      struct sigaction handle = {};
      handle.sa_sigaction = pass_on;
      handle.sa_flags = SA_SIGINFO | SA_RESTART;
      ::sigaction(kPassedOn[i], nullptr, &old_passed_on_[i]);
      // Ignored from the start (nohup): the program ignores it too.
      if (old_passed_on_[i].sa_handler != SIG_IGN) ::sigaction(kPassedOn[i], &handle, nullptr);
    }
  }

  void restore_handlers() const {
    ::sigaction(SIGCHLD, &old_child_, nullptr);
    for (size_t i = 0; i < kIgnored.size(); ++i) {
      ::sigaction(kIgnored[i], &old_ignored_[i], nullptr);
    }
    for (size_t i = 0; i < kPassedOn.size(); ++i) {
      ::sigaction(kPassedOn[i], &old_passed_on_[i], nullptr);
    }
  }

  void hold() const {
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, nullptr);
  }
  void release() const { ::sigprocmask(SIG_SETMASK, &old_mask_, nullptr); }

 private:
  sigset_t old_mask_;
  struct sigaction old_child_;
  std::array<struct sigaction, kIgnored.size()> old_ignored_;
  std::array<struct sigaction, kPassedOn.size()> old_passed_on_;
};

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
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

ProgramEnd wait_for(pid_t pid, const SignalWatch& watch) {
  // Waits without reaping first: as long as the process is a zombie its number is not given to
  // another, so a signal passed on too late meets nobody.
  siginfo_t info = {};
  while (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  watch.hold();
  program_pid = 0;
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  ProgramEnd end;
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
  } else {
    end.exit_status = WEXITSTATUS(status);
  }
  return end;
}

Error start_failure(int error) {
  return Error(std::string("The program could not be started: ") + std::strerror(error) +
                   ". Try again when the machine has processes and descriptors to spare.",
               kExitOurs);
}

}  // namespace

ProgramEnd run_to_end(const std::vector<std::string>& command,
                      const std::vector<std::string>& environment) {
  const std::vector<char*> arguments = pointers_to(command);
  const std::vector<char*> variables = pointers_to(environment);
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) throw start_failure(errno);

  const SignalWatch watch;
  const pid_t pid = ::fork();
  if (pid == 0) {
    watch.restore_handlers();
    watch.release();
    ::execvpe(arguments[0], arguments.data(), variables.data());
    const int error = errno;
    // Nothing can be done if even this fails; the parent then sees an empty pipe and status 125.
    [[maybe_unused]] const ssize_t sent = ::write(pipe[1], &error, sizeof error);
    ::_exit(kExitOurs);
  }
  const int fork_error = errno;
  ::close(pipe[1]);
  if (pid > 0) {
    program_pid = pid;
    watch.release();
  }
  ProgramEnd end;
  if (pid > 0) {
    const int exec_error = exec_error_from(pipe[0]);
    end = wait_for(pid, watch);
    end.exec_error = exec_error;
  }
  ::close(pipe[0]);
  watch.restore_handlers();
  watch.release();
  if (pid < 0) throw start_failure(fork_error);
  return end;
}

}  // namespace heapledger
