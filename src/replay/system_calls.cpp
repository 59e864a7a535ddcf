#include "replay/system_calls.h"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "replay/system_call_names.h"

namespace heapledger {
namespace {

constexpr uintptr_t kOptions =
    PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;

struct Range {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Where the code of the program itself lies in a process.
Range own_code(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  char path[4096];
  const ssize_t bytes = ::readlink((folder + "/exe").c_str(), path, sizeof path);
  if (bytes <= 0) return {};
  const std::string program(path, static_cast<size_t>(bytes));
  Range range;
  std::ifstream maps(folder + "/maps");
  for (std::string line; std::getline(maps, line);) {
    Range mapped;
    char rights[5] = {};
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s", &mapped.begin, &mapped.end,
                    rights) != 3 ||
        rights[2] != 'x' || !line.ends_with(" " + program)) {
      continue;
    }
    if (range.end == 0) range.begin = mapped.begin;
    range.end = mapped.end;
  }
  return range;
}

bool has_ended(const siginfo_t& what) {
  return what.si_code == CLD_EXITED || what.si_code == CLD_KILLED || what.si_code == CLD_DUMPED;
}

class Tracer {
 public:
  explicit Tracer(pid_t pid) : pid_(pid) {}

  // Until the process has ended; its status. The process is a process group, so this waits for
  // nobody else's children.
  int run() {
    while (true) {
      siginfo_t next{};
      if (::waitid(P_PGID, static_cast<id_t>(pid_), &next, WEXITED | WSTOPPED | WNOWAIT | __WALL) !=
          0) {
        if (errno == EINTR) continue;
        return 0;
      }
      // Whatever it has started goes with it: while nobody has waited for it, the group is its own.
      if (next.si_pid == pid_ && has_ended(next)) ::kill(-pid_, SIGKILL);
      int status = 0;
      const pid_t thread = ::waitpid(next.si_pid, &status, __WALL);
      if (thread < 0) continue;
      if (!WIFSTOPPED(status)) {
        if (thread == pid_) return status;
        continue;
      }
      go_on(thread, status);
    }
  }

  const SystemCalls& calls() const { return calls_; }
  const std::string& problem() const { return problem_; }
  bool complete() const { return ended_; }

 private:
  void go_on(pid_t thread, int status) {
    const int signal = WSTOPSIG(status);
    const int event = status >> 16;
    intptr_t deliver = 0;
    if (signal == (SIGTRAP | 0x80)) {
      count(thread);
    } else if (event == PTRACE_EVENT_EXEC) {
      own_ = own_code(pid_);
      if (own_.end == 0) problem_ = "its memory map cannot be read";
      seen_exec_ = true;
    } else if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
      ::ptrace(PTRACE_LISTEN, thread, nullptr, nullptr);  // stopped by somebody, like all of it
      return;
    } else if (event == 0) {
      deliver = signal;
    }
    // Nothing to be counted before the exec and after the end: full speed.
    const bool stops = seen_exec_ && !ended_ && problem_.empty();
    ::ptrace(stops ? PTRACE_SYSCALL : PTRACE_CONT, thread, nullptr, deliver);
  }

  void count(pid_t thread) {
    __ptrace_syscall_info info{};
    const auto size = static_cast<uintptr_t>(sizeof info);
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, thread, size, &info) <= 0) {
      if (errno != ESRCH) problem_ = "this kernel does not say who calls (Linux 5.3 does)";
      return;
    }
    if (info.op != PTRACE_SYSCALL_INFO_ENTRY) return;
    const uint64_t from = info.instruction_pointer;
    const auto number = static_cast<long>(info.entry.nr);
    if (from >= own_.begin && from < own_.end) {
      if (number != player::kPlayMark) return;
      ended_ = begun_;
      begun_ = true;
      return;
    }
    if (!begun_ || ended_ || is_of_threads(number, info.entry.args[1])) return;
    ++calls_.all;
    ++calls_.by_name[system_call_name(number)];
  }

  pid_t pid_;
  Range own_;
  bool seen_exec_ = false;
  bool begun_ = false;
  bool ended_ = false;
  SystemCalls calls_;
  std::string problem_;
};

std::string refusal(int error) {
  if (error == EPERM || error == EACCES) {
    return "this process may not trace others (kernel.yama.ptrace_scope, or a container's rules)";
  }
  return std::string("the player cannot be traced: ") + std::strerror(error);
}

}  // namespace

TracedPlay trace_to_its_end(PlayerProcess& process, double limit_seconds) {
  TracedPlay played;
  if (::ptrace(PTRACE_SEIZE, process.pid(), nullptr, kOptions) != 0) {
    played.why_not_counted = refusal(errno);
    return played;
  }
  played.traced = true;
  Tracer tracer(process.pid());
  process.go(limit_seconds);
  played.status = tracer.run();
  process.has_ended();
  if (!tracer.problem().empty()) {
    played.why_not_counted = tracer.problem();
  } else if (process.was_killed()) {
    played.why_not_counted = "there are more than could be counted in the time it had";
  } else if (!tracer.complete()) {
    played.why_not_counted = "it did not come to its end";
  } else {
    played.calls = tracer.calls();
  }
  return played;
}

}  // namespace heapledger
