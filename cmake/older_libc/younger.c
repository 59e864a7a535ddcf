// What our tool uses of libc that is younger than glibc 2.17, made of what is older; and the
// initialisers (start.S).
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define OURS __attribute__((visibility("hidden")))

typedef void (*Initialiser)(int, char**, char**);
extern Initialiser __preinit_array_start[] OURS, __preinit_array_end[] OURS;
extern Initialiser __init_array_start[] OURS, __init_array_end[] OURS;
extern void _init(void);

OURS void heapledger_initialise(int count, char** words, char** environment) {
  for (Initialiser* next = __preinit_array_start; next != __preinit_array_end; ++next)
    (*next)(count, words, environment);
  _init();
  for (Initialiser* next = __init_array_start; next != __init_array_end; ++next)
    (*next)(count, words, environment);
}

// 2.33 made functions of what had been calls of __xstat and its like.
OURS int fstatat64(int folder, const char* path, struct stat64* status, int flags) {
  return (int)syscall(SYS_newfstatat, folder, path, status, flags);
}
OURS int stat64(const char* path, struct stat64* status) {
  return fstatat64(AT_FDCWD, path, status, 0);
}
OURS int lstat64(const char* path, struct stat64* status) {
  return fstatat64(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
OURS int fstat64(int fd, struct stat64* status) {
  return (int)syscall(SYS_fstat, fd, status);
}
OURS int fstatat(int, const char*, struct stat*, int) __attribute__((alias("fstatat64")));
OURS int stat(const char*, struct stat*) __attribute__((alias("stat64")));
OURS int lstat(const char*, struct stat*) __attribute__((alias("lstat64")));
OURS int fstat(int, struct stat*) __attribute__((alias("fstat64")));

// 2.25 and later have functions for these system calls.
OURS ssize_t getrandom(void* bytes, size_t count, unsigned flags) {
  return syscall(SYS_getrandom, bytes, count, flags);
}
OURS int memfd_create(const char* name, unsigned flags) {
  return (int)syscall(SYS_memfd_create, name, flags);
}
OURS int renameat2(int from_folder, const char* from, int to_folder, const char* to,
                   unsigned flags) {
  return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
OURS int fcntl64(int fd, int command, ...) {
  va_list words;
  va_start(words, command);
  void* word = va_arg(words, void*);
  va_end(words);
  return fcntl(fd, command, word);
}

// Whoever asks for random bytes cannot do without.
OURS int getentropy(void* bytes, size_t count) {
  for (size_t had = 0; had < count;) {
    ssize_t more = getrandom((char*)bytes + had, count - had, 0);
    if (more < 0 && errno != EINTR) return -1;
    if (more > 0) had += (size_t)more;
  }
  return 0;
}
OURS uint32_t arc4random(void) {
  uint32_t number;
  if (getentropy(&number, sizeof number) != 0) abort();
  return number;
}

// "There may be several threads": the careful answer.
OURS char __libc_single_threaded = 0;

// Until a moment of that clock; of the clock that old ones have, as far away from now.
OURS int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                const struct timespec* until) {
  struct timespec now, then;
  if (clock_gettime(clock, &now) != 0 || clock_gettime(CLOCK_REALTIME, &then) != 0) return EINVAL;
  then.tv_sec += until->tv_sec - now.tv_sec;
  then.tv_nsec += until->tv_nsec - now.tv_nsec;
  for (; then.tv_nsec < 0; --then.tv_sec) then.tv_nsec += 1000000000;
  for (; then.tv_nsec >= 1000000000; ++then.tv_sec) then.tv_nsec -= 1000000000;
  return pthread_cond_timedwait(condition, mutex, &then);
}

// One by one, all that are open now.
OURS int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t* actions, int first) {
  DIR* open_ones = opendir("/proc/self/fd");
  if (open_ones == NULL) return errno;
  int error = 0;
  for (struct dirent* entry; error == 0 && (entry = readdir(open_ones)) != NULL;) {
    int fd = atoi(entry->d_name);
    if (entry->d_name[0] != '.' && fd >= first)
      error = posix_spawn_file_actions_addclose(actions, fd);
  }
  closedir(open_ones);
  return error;
}

OURS const char* sigabbrev_np(int number) {
  static const char names[][8] = {
      "",     "HUP",  "INT",  "QUIT", "ILL",    "TRAP",   "ABRT",  "BUS",  "FPE",  "KILL", "USR1",
      "SEGV", "USR2", "PIPE", "ALRM", "TERM",   "STKFLT", "CHLD",  "CONT", "STOP", "TSTP", "TTIN",
      "TTOU", "URG",  "XCPU", "XFSZ", "VTALRM", "PROF",   "WINCH", "IO",   "PWR",  "SYS"};
  return number > 0 && number < 32 ? names[number] : NULL;
}

// How exceptions find their way: the loaded file that an address is in.
struct Looked {
  uintptr_t address;
  struct dl_find_object* found;
};

static int look(struct dl_phdr_info* file, size_t bytes, void* looked_for) {
  struct Looked* looked = looked_for;
  uintptr_t first = UINTPTR_MAX, end = 0, frames = 0;
  int is_here = 0;
  (void)bytes;
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &file->dlpi_phdr[i];
    uintptr_t begin = file->dlpi_addr + part->p_vaddr, after = begin + part->p_memsz;
    if (part->p_type == PT_GNU_EH_FRAME) frames = begin;
    if (part->p_type != PT_LOAD) continue;
    if (begin < first) first = begin;
    if (after > end) end = after;
    is_here |= looked->address >= begin && looked->address < after;
  }
  if (!is_here || frames == 0) return 0;
  *looked->found = (struct dl_find_object){
      .dlfo_map_start = (void*)first, .dlfo_map_end = (void*)end, .dlfo_eh_frame = (void*)frames};
  return 1;
}

OURS int _dl_find_object(void* address, struct dl_find_object* found) {
  struct Looked looked = {(uintptr_t)address, found};
  return dl_iterate_phdr(look, &looked) == 1 ? 0 : -1;
}
