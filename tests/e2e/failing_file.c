// To be preloaded into the tool: the file FAILING_FILE goes wrong under it. FAILING_AT counts the
// times that the file is read or mapped; at that one, as FAILING_HOW says,
//   cut     it is cut to its first 4096 bytes: before it is read, or when it is mapped
//   empty   it is cut to nothing, likewise
//   error   reading fails from then on, as with a disk that fails
//   mapped  the process ends with 77 if the file is mapped at all, at any time
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int times;

static int is_the_file(int fd) {
  const char* path = getenv("FAILING_FILE");
  struct stat one, other;
  return fd >= 0 && path != NULL && stat(path, &one) == 0 && fstat(fd, &other) == 0 &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static int is_asked_for(const char* how) {
  return strcmp(getenv("FAILING_HOW"), how) == 0;
}

// Whether this is the time, or it has passed.
static int is_time(void) {
  return atomic_fetch_add(&times, 1) + 1 >= atoi(getenv("FAILING_AT"));
}

static void cut(void) {
  off_t bytes = is_asked_for("cut") ? 4096 : 0;
  if (!is_asked_for("cut") && !is_asked_for("empty")) return;
  if (truncate(getenv("FAILING_FILE"), bytes) != 0) _exit(78);
}

ssize_t pread(int fd, void* to, size_t count, off_t offset) {
  if (is_the_file(fd) && is_time()) {
    cut();
    if (is_asked_for("error")) {
      errno = EIO;
      return -1;
    }
  }
  return syscall(SYS_pread64, fd, to, count, offset);
}

ssize_t pread64(int fd, void* to, size_t count, off_t offset) {
  return pread(fd, to, count, offset);
}

void* mmap(void* at, size_t bytes, int rights, int flags, int fd, off_t offset) {
  void* place = (void*)syscall(SYS_mmap, at, bytes, rights, flags, fd, offset);
  // Not everything that maps a file has an environment yet.
  if ((flags & MAP_ANONYMOUS) == 0 && place != MAP_FAILED && is_the_file(fd)) {
    if (is_asked_for("mapped")) _exit(77);
    if (is_time()) cut();
  }
  return place;
}

void* mmap64(void* at, size_t bytes, int rights, int flags, int fd, off_t offset) {
  return mmap(at, bytes, rights, flags, fd, offset);
}
