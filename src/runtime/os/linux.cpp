// Linux behind os.h.
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>

#include "runtime/os/os.h"
#include "runtime/os/own_memory.h"
#include "runtime/os/syscall.h"
#include "runtime/os/text.h"

namespace heapledger::runtime::os {
namespace {

bool is_error(long result) {
  return result < 0 && result > -4096;
}

int open_at(const char* path, int flags) {
  long fd;
  do {
    fd = raw_syscall(SYS_openat, AT_FDCWD, address(path), flags | O_CLOEXEC | O_NOCTTY, 0666);
  } while (fd == -EINTR);
  return static_cast<int>(fd);
}

uint64_t nanoseconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(time.tv_nsec);
}

long write_zeros(int fd, uint64_t offset, uint64_t bytes) {
  static constexpr char kZeros[512] = {};
  for (uint64_t done = 0; done < bytes; done += sizeof kZeros) {
    iovec part = {const_cast<char*>(kZeros), sizeof kZeros};
    long result = write_all_at(fd, &part, 1, offset + done);
    if (result < 0) return result;
  }
  return 0;
}

// Null where it is too long. Static: a process makes one ledger at a time.
const char* folder_of(const char* path) {
  static char folder[PATH_MAX];
  const char* slash = strrchr(path, '/');
  size_t length = slash == nullptr ? 0 : static_cast<size_t>(slash - path);
  if (length >= sizeof folder) return nullptr;
  memcpy(folder, path, length);
  folder[length] = '\0';
  return length == 0 ? "/" : folder;
}

}  // namespace

int create_file(const char* path) {
  return open_at(path, O_RDWR | O_CREAT | O_EXCL);
}

int create_nameless(const char* path) {
  // O_TMPFILE takes the folder.
  const char* folder = folder_of(path);
  return folder == nullptr ? -ENAMETOOLONG : open_at(folder, O_RDWR | O_TMPFILE);
}

long make_folder_of(const char* path) {
  const char* folder = folder_of(path);
  return folder == nullptr ? long{-ENAMETOOLONG}
                           : raw_syscall(SYS_mkdirat, AT_FDCWD, address(folder), 0777);
}

long give_name(int fd, const char* path) {
  // Newer kernels take the descriptor itself from whoever has opened it; the way by /proc makes
  // them put together folders for this process.
  long result = raw_syscall(SYS_linkat, fd, address(""), AT_FDCWD, address(path), AT_EMPTY_PATH);
  if (result != -ENOENT) return result;
  Text<64> link;
  link.add("/proc/self/fd/").add_number(static_cast<uint64_t>(fd));
  return raw_syscall(SYS_linkat, AT_FDCWD, address(link.data()), AT_FDCWD, address(path),
                     AT_SYMLINK_FOLLOW);
}

int open_file(const char* path) {
  return open_at(path, O_RDWR);
}

int open_readonly(const char* path) {
  return open_at(path, O_RDONLY);
}

void close_file(int fd) {
  raw_syscall(SYS_close, fd);
}

long remove_file(const char* path) {
  return raw_syscall(SYS_unlinkat, AT_FDCWD, address(path), 0);
}

long file_id(int fd, FileId& id) {
  struct stat status;
  long result = raw_syscall(SYS_fstat, fd, address(&status));
  if (result == 0) id = {status.st_dev, status.st_ino};
  return result;
}

bool is_executable(const char* path) {
  return raw_syscall(SYS_faccessat, AT_FDCWD, address(path), X_OK) == 0;
}

bool may_read(const char* path) {
  return raw_syscall(SYS_faccessat, AT_FDCWD, address(path), R_OK) == 0;
}

bool may_write(const char* path) {
  return raw_syscall(SYS_faccessat, AT_FDCWD, address(path), W_OK) == 0;
}

long reserve(int fd, uint64_t offset, uint64_t bytes) {
  long result;
  do {
    result = raw_syscall(SYS_fallocate, fd, 0, static_cast<long>(offset), static_cast<long>(bytes));
  } while (result == -EINTR);
  if (result == -EOPNOTSUPP || result == -ENOSYS) return write_zeros(fd, offset, bytes);
  return result;
}

void give_back(int fd, uint64_t offset, uint64_t bytes) {
  raw_syscall(SYS_fallocate, fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              static_cast<long>(offset), static_cast<long>(bytes));
}

long write_all_at(int fd, iovec* parts, int count, uint64_t offset) {
  while (count > 0) {
    long written = raw_syscall(SYS_pwritev, fd, address(parts), count, static_cast<long>(offset));
    if (written == -EINTR) continue;
    if (written < 0) return written;
    if (written == 0) return -EIO;
    offset += static_cast<uint64_t>(written);
    auto left = static_cast<size_t>(written);
    while (count > 0 && left >= parts->iov_len) {
      left -= parts->iov_len;
      ++parts;
      --count;
    }
    if (count > 0) {
      parts->iov_base = static_cast<char*>(parts->iov_base) + left;
      parts->iov_len -= left;
    }
  }
  return 0;
}

long read_some(int fd, void* to, size_t bytes) {
  long result;
  do {
    result = raw_syscall(SYS_read, fd, address(to), static_cast<long>(bytes));
  } while (result == -EINTR);
  return result;
}

long read_at(int fd, void* to, size_t bytes, uint64_t offset) {
  long result;
  do {
    result = raw_syscall(SYS_pread64, fd, address(to), static_cast<long>(bytes),
                         static_cast<long>(offset));
  } while (result == -EINTR);
  return result;
}

void write_stderr(const char* text, size_t bytes) {
  raw_syscall(SYS_write, 2, address(text), static_cast<long>(bytes));
}

uint64_t file_size_limit() {
  rlimit limit{};
  if (raw_syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, address(&limit)) != 0) return UINT64_MAX;
  return limit.rlim_cur;
}

long read_link(const char* path, char* to, size_t bytes) {
  return raw_syscall(SYS_readlinkat, AT_FDCWD, address(path), address(to),
                     static_cast<long>(bytes));
}

long current_folder(char* to, size_t bytes) {
  return raw_syscall(SYS_getcwd, address(to), static_cast<long>(bytes));
}

const char* executed_path() {
  return reinterpret_cast<const char*>(getauxval(AT_EXECFN));
}

// Where the program's memory is limited, what we take must leave it room to go on: a quarter of
// the limit, which is tried and given back.
static bool leaves_room(size_t bytes) {
  constexpr size_t kTooSmallToMatter = size_t{64} << 10;
  constexpr uint64_t kMostRoom = uint64_t{256} << 20;
  if (bytes < kTooSmallToMatter) return true;
  uint64_t least = UINT64_MAX;
  for (int resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    if (raw_syscall(SYS_prlimit64, 0, resource, 0, address(&limit)) != 0) continue;
    least = limit.rlim_cur < least ? limit.rlim_cur : least;
  }
  if (least == UINT64_MAX) return true;
  auto tried = static_cast<long>(bytes + (least / 4 < kMostRoom ? least / 4 : kMostRoom));
  long result = raw_syscall(SYS_mmap, 0, tried, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (is_error(result)) return false;
  raw_syscall(SYS_munmap, result, tried);
  return true;
}

void* map_private(size_t bytes) {
  if (!leaves_room(bytes)) return nullptr;
  long result = raw_syscall(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return is_error(result) ? nullptr : remember_own(reinterpret_cast<void*>(result), bytes);
}

void* map_file(int fd, uint64_t offset, size_t bytes) {
  if (!leaves_room(bytes)) return nullptr;
  long result = raw_syscall(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                            MAP_SHARED, fd, static_cast<long>(offset));
  return is_error(result) ? nullptr : remember_own(reinterpret_cast<void*>(result), bytes);
}

void unmap(void* at, size_t bytes) {
  forget_own(reinterpret_cast<uintptr_t>(at), bytes);
  raw_syscall(SYS_munmap, address(at), static_cast<long>(bytes));
}

void make_fresh(void* at, size_t bytes) {
  raw_syscall(SYS_mmap, address(at), static_cast<long>(bytes), PROT_READ | PROT_WRITE,
              MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

long make_private(void* at, size_t bytes) {
  void* copy = map_private(bytes);
  if (copy == nullptr) return -ENOMEM;
  memcpy(copy, at, bytes);
  auto size = static_cast<long>(bytes);
  long result = raw_syscall(SYS_mremap, address(copy), size, size, MREMAP_MAYMOVE | MREMAP_FIXED,
                            address(at));
  if (!is_error(result)) {
    forget_own(reinterpret_cast<uintptr_t>(copy), bytes);
    return 0;
  }
  unmap(copy, bytes);
  return result;
}

void discard(void* at, size_t bytes) {
  raw_syscall(SYS_madvise, address(at), static_cast<long>(bytes), MADV_DONTNEED);
}

void prefer_large_pages(void* at, size_t bytes) {
  raw_syscall(SYS_madvise, address(at), static_cast<long>(bytes), MADV_HUGEPAGE);
}

void read_nothing_ahead(void* at, size_t bytes) {
  raw_syscall(SYS_madvise, address(at), static_cast<long>(bytes), MADV_RANDOM);
}

bool is_readable(const void* at) {
  // Reads the new signal mask, then refuses because there is no such operation: no side effect.
  constexpr long kNoSuchOperation = -1;
  return raw_syscall(SYS_rt_sigprocmask, kNoSuchOperation, address(at), 0, 8) != -EFAULT;
}

long wipe_on_fork(void* page, size_t bytes) {
  return raw_syscall(SYS_madvise, address(page), static_cast<long>(bytes), MADV_WIPEONFORK);
}

uint32_t page_bytes() {
  return static_cast<uint32_t>(getauxval(AT_PAGESZ));
}

uint32_t process_id() {
  return static_cast<uint32_t>(raw_syscall(SYS_getpid));
}

uint32_t parent_process_id() {
  return static_cast<uint32_t>(raw_syscall(SYS_getppid));
}

uint32_t user_id() {
  return static_cast<uint32_t>(raw_syscall(SYS_getuid));
}

uint32_t thread_id() {
  return static_cast<uint32_t>(raw_syscall(SYS_gettid));
}

bool thread_exists(uint32_t tid) {
  return raw_syscall(SYS_tgkill, process_id(), tid, 0) != -ESRCH;
}

void thread_name(char* name) {
  if (raw_syscall(SYS_prctl, PR_GET_NAME, address(name)) != 0) name[0] = '\0';
  name[15] = '\0';
}

long host_name(char* to, size_t bytes) {
  utsname names;
  long result = raw_syscall(SYS_uname, address(&names));
  if (result != 0) return result;
  size_t length = strnlen(names.nodename, sizeof names.nodename);
  if (length >= bytes) length = bytes - 1;
  memcpy(to, names.nodename, length);
  to[length] = '\0';
  return static_cast<long>(length);
}

void yield_processor() {
  raw_syscall(SYS_sched_yield);
}

uint64_t block_signals() {
  uint64_t all = ~uint64_t{0};
  uint64_t before = 0;
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, address(&all), address(&before), sizeof all);
  return before;
}

void restore_signals(uint64_t signals) {
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, address(&signals), 0, sizeof signals);
}

bool on_signal_stack() {
  stack_t stack{};
  return raw_syscall(SYS_sigaltstack, 0, address(&stack)) == 0 &&
         (stack.ss_flags & SS_ONSTACK) != 0;
}

long signal_thread(int signal) {
  return raw_syscall(SYS_tgkill, process_id(), thread_id(), signal);
}

bool is_another_word(const void* at, uint32_t value) {
  // Waits for no time at all: EAGAIN when the word differs, EFAULT when it cannot be read.
  const timespec none = {};
  return raw_syscall(SYS_futex, address(at), FUTEX_WAIT_PRIVATE, value, address(&none)) == -EAGAIN;
}

void wait_for_ever() {
  for (;;) raw_syscall(SYS_ppoll, 0, 0, 0, 0, 0);
}

void end_process(int status) {
  for (;;) raw_syscall(SYS_exit_group, status);
}

uint64_t thread_time_ns() {
  return nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

Clocks read_clocks() {
  return {nanoseconds(CLOCK_MONOTONIC), nanoseconds(CLOCK_REALTIME)};
}

}  // namespace heapledger::runtime::os
