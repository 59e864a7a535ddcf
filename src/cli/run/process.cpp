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
#include <optional>
#include <string_view>

#include "analyzer/error.h"
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

  // Nothing when none came in that time.
  std::optional<siginfo_t> next(std::chrono::nanoseconds longest) const {
    constexpr std::chrono::nanoseconds::rep kSecond = 1'000'000'000;
    const timespec wait = {longest.count() / kSecond, longest.count() % kSecond};
    siginfo_t info = {};
    if (::sigtimedwait(&held_, &info, &wait) < 0) return std::nullopt;
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

ErrorWithStatus start_failure(int error) {
  return ErrorWithStatus(std::string("The program could not be started: ") + std::strerror(error) +
                             ". Try again when the machine has processes and descriptors to spare.",
                         kExitOurs);
}

// Both ends of a pipe, which exec closes.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw start_failure(errno);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    end(0);
    end(1);
  }

  void end_writing() { end(1); }

  // Until all other sides have closed it.
  std::string read_all() const {
    std::string text;
    std::array<char, 4096> piece;
    ssize_t got;
    while ((got = ::read(ends_[0], piece.data(), piece.size())) > 0 ||
           (got < 0 && errno == EINTR)) {
      if (got > 0) text.append(piece.data(), static_cast<size_t>(got));
    }
    return text;
  }

  void write_all(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t put = ::write(ends_[1], text.data(), text.size());
      if (put < 0 && errno != EINTR) return;  // whoever reads finds that it is not whole
      if (put > 0) text.remove_prefix(static_cast<size_t>(put));
    }
  }

 private:
  void end(size_t which) {
    if (ends_[which] >= 0) ::close(ends_[which]);
    ends_[which] = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

ProgramEnd wait_for(pid_t pid, const HeldSignals& signals, const WhileRunning& while_running) {
  int status = 0;
  // Only we reap it, so its number is its own for as long as signals are passed on.
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    const std::optional<siginfo_t> info = signals.next(while_running());
    if (info && is_passed_on(*info)) ::kill(pid, info->si_signo);
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

constexpr char kTold = '.';  // the end of what the process is told

// In the process that is to become the program. Returns where it cannot.
int become_program(const std::vector<std::string>& command, const Beginning& beginning,
                   const HeldSignals& signals, const Pipe& to_process) noexcept {
  std::string told = to_process.read_all();
  if (!told.ends_with(kTold)) ::_exit(kExitOurs);  // it is not to be run
  told.pop_back();
  const std::vector<std::string> environment = beginning.environment(told);
  const std::vector<char*> arguments = pointers_to(command);
  const std::vector<char*> variables = pointers_to(environment);
  signals.release();
  ::execvpe(arguments[0], arguments.data(), variables.data());
  return errno;
}

// Tells the process what it waits for; where that fails, it is gone when this throws.
void tell_process(pid_t pid, const Beginning& beginning, Pipe& to_process) {
  try {
    to_process.write_all(beginning.prepare(pid) + kTold);
    to_process.end_writing();
  } catch (...) {
    to_process.end_writing();
    ::waitpid(pid, nullptr, 0);
    throw;
  }
}

}  // namespace

ProgramEnd run_to_end(const std::vector<std::string>& command, const Beginning& beginning,
                      const WhileRunning& while_running,
                      const std::function<void(const ProgramEnd&)>& ended) {
  Pipe to_process;
  Pipe from_process;  // the errno of a failed exec
  const HeldSignals signals;
  const pid_t pid = ::fork();
  if (pid < 0) throw start_failure(errno);
  if (pid == 0) {
    to_process.end_writing();
    const int error = become_program(command, beginning, signals, to_process);
    // Nothing can be done if even this fails; the parent then sees an empty pipe and status 125.
    from_process.write_all({reinterpret_cast<const char*>(&error), sizeof error});
    ::_exit(kExitOurs);
  }
  from_process.end_writing();
  // We keep the end that it reads from: if it is killed, writing must not raise SIGPIPE.
  tell_process(pid, beginning, to_process);
  const std::string failed = from_process.read_all();  // ends when exec closes it
  ProgramEnd end = wait_for(pid, signals, while_running);
  if (failed.size() == sizeof end.exec_error) {
    std::memcpy(&end.exec_error, failed.data(), sizeof end.exec_error);
  }
  ended(end);
  return end;
}

}  // namespace heapledger::cli::run
