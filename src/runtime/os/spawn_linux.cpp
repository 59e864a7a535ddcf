// A process that is started without an exit signal is invisible to wait() and sends no SIGCHLD; but
// execve gives it one. So there are two: a helper of ours, which stays as it is, starts the other
// program, waits for it and hands its status on; and we wait for the helper. Both share our memory
// until they are done (no copy of it is made, however large it is), each on a stack of its own, and
// make nothing but raw system calls there.
#include <fcntl.h>
#include <linux/wait.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include <cerrno>

#include "runtime/os/os.h"
#include "runtime/os/spawn.h"
#include "runtime/os/syscall.h"

namespace heapledger::runtime::os {
namespace {

constexpr size_t kStackBytes = 32768;
constexpr int kSignals = 64;

struct Job {
  const Spawn* spawn;
  unsigned char* stacks;
  uint64_t signals;  // the mask that the other program gets
  long result;
};

[[noreturn]] void leave(int status) {
  for (;;) raw_syscall(SYS_exit, status);
}

// As the kernel wants it; the C library's has other fields.
struct KernelAction {
  const void* handler = nullptr;  // SIG_DFL
  unsigned long flags = 0;
  void* restorer = nullptr;
  uint64_t mask = 0;
};

// The table of handlers is this process's own, the handlers themselves are the program's.
void reset_handlers() {
  for (int number = 1; number <= kSignals; ++number) {
    KernelAction before;
    raw_syscall(SYS_rt_sigaction, number, 0, address(&before), sizeof before.mask);
    if (before.handler == reinterpret_cast<const void*>(SIG_IGN) && number != SIGCHLD) continue;
    KernelAction usual;
    raw_syscall(SYS_rt_sigaction, number, address(&usual), 0, sizeof usual.mask);
  }
}

long open_output(const Spawn& spawn) {
  if (spawn.output >= 0) return spawn.output;
  return raw_syscall(SYS_openat, AT_FDCWD, address(spawn.output_path),
                     O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
}

long put_at(long fd, int number) {
  if (fd < 0) return fd;
  if (fd == number) return raw_syscall(SYS_fcntl, fd, F_SETFD, 0);
  return raw_syscall(SYS_dup3, fd, number, 0);
}

int other_program(void* argument) {
  Job& job = *static_cast<Job*>(argument);
  const Spawn& spawn = *job.spawn;
  long result = put_at(open_output(spawn), 1);
  if (result >= 0) {
    put_at(raw_syscall(SYS_openat, AT_FDCWD, address("/dev/null"), O_RDONLY | O_CLOEXEC, 0), 0);
    raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, address(&job.signals), 0, sizeof job.signals);
    result = raw_syscall(SYS_execve, address(spawn.path), address(spawn.arguments),
                         address(spawn.environment));
  }
  job.result = result;
  leave(127);
}

long wait_for(long process, int& status) {
  long result;
  do {
    result = raw_syscall(SYS_wait4, process, address(&status), __WALL, 0);
  } while (result == -EINTR);
  return result;
}

// libc's clone starts a function on another stack, and does nothing else.
long start(int (*function)(void*), unsigned char* stack, int flags, Job& job) {
  int before = errno;
  long process = clone(function, stack + kStackBytes, CLONE_VM | flags, &job);
  if (process < 0) process = -errno;
  errno = before;
  return process;
}

int helper(void* argument) {
  Job& job = *static_cast<Job*>(argument);
  reset_handlers();
  long process = start(other_program, job.stacks + kStackBytes, CLONE_VFORK | SIGCHLD, job);
  int status = 0;
  if (process > 0 && wait_for(process, status) < 0) process = -ECHILD;
  if (process < 0) {
    job.result = process;
  } else if (job.result == 0) {
    job.result = (status & 0x7f) == 0 ? (status >> 8 & 0xff) : -EINTR;
  }
  leave(0);
}

}  // namespace

long run_program(const Spawn& spawn) {
  void* stacks = map_private(2 * kStackBytes);
  if (stacks == nullptr) return -ENOMEM;
  Job job = {&spawn, static_cast<unsigned char*>(stacks), block_signals(), 0};
  long process = start(helper, job.stacks, 0, job);
  restore_signals(job.signals);
  int status = 0;
  if (process > 0) wait_for(process, status);
  unmap(stacks, 2 * kStackBytes);
  return process < 0 ? process : job.result;
}

}  // namespace heapledger::runtime::os
