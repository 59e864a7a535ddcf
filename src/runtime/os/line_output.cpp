#include "runtime/os/line_output.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include <cerrno>

#include "runtime/os/syscall.h"

namespace heapledger::runtime::os {
namespace {

// Other threads write too, between our look at the file's size and our write.
constexpr uint64_t kSizeMargin = 64 << 10;
constexpr long kWaitMs = 200;
constexpr unsigned kWaits = 5;

constexpr uint64_t bit_of(int signal) {
  return uint64_t{1} << (signal - 1);
}

bool is_pending(int signal) {
  uint64_t pending = 0;
  raw_syscall(SYS_rt_sigpending, address(&pending), sizeof pending);
  return (pending & bit_of(signal)) != 0;
}

// Takes a signal away that is pending, with no handler called.
void swallow(int signal) {
  uint64_t set = bit_of(signal);
  timespec none = {};
  raw_syscall(SYS_rt_sigtimedwait, address(&set), 0, address(&none), sizeof set);
}

// A pipe without a reader sends SIGPIPE, a terminal may send SIGTTOU; neither was earned by the
// program.
long write_without_signals(int fd, const char* text, size_t bytes) {
  uint64_t quiet = bit_of(SIGPIPE) | bit_of(SIGTTOU);
  uint64_t before = 0;
  raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, address(&quiet), address(&before), sizeof quiet);
  bool was_pending = is_pending(SIGPIPE);
  long written = raw_syscall(SYS_write, fd, address(text), static_cast<long>(bytes));
  if (written == -EPIPE && !was_pending) swallow(SIGPIPE);
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, address(&before), 0, sizeof before);
  return written;
}

long write_once(int fd, OutputKind kind, const char* text, size_t bytes) {
  switch (kind) {
    case OutputKind::kFile:
      return raw_syscall(SYS_write, fd, address(text), static_cast<long>(bytes));
    case OutputKind::kSocket:
      return raw_syscall(SYS_sendto, fd, address(text), static_cast<long>(bytes), MSG_NOSIGNAL, 0,
                         0);
    case OutputKind::kOther:
      break;
  }
  return write_without_signals(fd, text, bytes);
}

void wait_for_room(int fd) {
  pollfd place = {fd, POLLOUT, 0};
  timespec wait = {0, kWaitMs * 1'000'000};
  raw_syscall(SYS_ppoll, address(&place), 1, address(&wait), 0, 0);
}

}  // namespace

long look_at_output(int fd, Output& output) {
  struct stat status;
  long result = raw_syscall(SYS_fstat, fd, address(&status));
  if (result != 0) return result;
  output.id = {status.st_dev, status.st_ino};
  output.bytes = static_cast<uint64_t>(status.st_size);
  output.kind = S_ISREG(status.st_mode)    ? OutputKind::kFile
                : S_ISSOCK(status.st_mode) ? OutputKind::kSocket
                                           : OutputKind::kOther;
  return 0;
}

int open_for_lines(const char* path) {
  long fd;
  do {
    fd = raw_syscall(SYS_openat, AT_FDCWD, address(path),
                     O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
  } while (fd == -EINTR);
  return static_cast<int>(fd);
}

int move_high(int fd) {
  constexpr uint64_t kLeast = 128;
  constexpr uint64_t kMost = 1024;  // the kernel's table grows with the highest number
  rlimit limit{};
  if (raw_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, address(&limit)) != 0) return -EMFILE;
  uint64_t room = limit.rlim_cur < kMost ? limit.rlim_cur : kMost;
  if (room < kLeast) return -EMFILE;
  long high = raw_syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, static_cast<long>(room - 24));
  if (high >= 0) close_file(fd);
  return static_cast<int>(high);
}

bool write_line(int fd, const Output& output, const char* line, size_t bytes) {
  // Beyond the limit a write would be SIGXFSZ.
  if (output.kind == OutputKind::kFile && output.bytes + kSizeMargin > file_size_limit()) {
    return false;
  }
  for (unsigned waits = 0; bytes != 0;) {
    long written = write_once(fd, output.kind, line, bytes);
    if (written == -EINTR) continue;
    if (written == -EAGAIN && waits++ < kWaits) {
      wait_for_room(fd);
      continue;
    }
    if (written <= 0) return false;
    line += written;
    bytes -= static_cast<size_t>(written);
  }
  return true;
}

}  // namespace heapledger::runtime::os
