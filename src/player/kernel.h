// What the player asks of the kernel, by its own instructions (arch_system_call.h) and never
// through the C library. Results below zero are errnos.
#pragma once

#include <arch_system_call.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

namespace heapledger::player::kernel {

inline long word(const void* pointer) {
  return static_cast<long>(reinterpret_cast<uintptr_t>(pointer));
}

inline int open(const char* path, int flags) {
  return static_cast<int>(system_call(SYS_openat, AT_FDCWD, word(path), flags | O_CLOEXEC));
}
inline void close(int fd) {
  system_call(SYS_close, fd);
}
inline long pread(int fd, void* into, size_t bytes, uint64_t at) {
  return system_call(SYS_pread64, fd, word(into), static_cast<long>(bytes), static_cast<long>(at));
}
inline long write(int fd, const void* from, size_t bytes) {
  return system_call(SYS_write, fd, word(from), static_cast<long>(bytes));
}
inline int64_t size_of(int fd) {
  return system_call(SYS_lseek, fd, 0, 2 /* SEEK_END */);
}

// NULL when there is no memory.
inline void* map(size_t bytes, int flags, int fd = -1) {
  const long got =
      system_call(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE, flags, fd, 0);
  return got < 0 && got > -4096 ? nullptr : reinterpret_cast<void*>(got);
}
inline void prefer_large_pages(void* from, size_t bytes) {
  system_call(SYS_madvise, word(from), static_cast<long>(bytes), MADV_HUGEPAGE);
}

inline void yield() {
  system_call(SYS_sched_yield);
}
inline void sleep(long ns) {
  const timespec span{0, ns};
  system_call(SYS_nanosleep, word(&span), 0);
}
inline uint64_t thread_cpu_ns() {
  timespec now{};
  system_call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, word(&now));
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}
inline rusage usage() {
  rusage used{};
  system_call(SYS_getrusage, RUSAGE_SELF, word(&used));
  return used;
}

[[noreturn]] inline void exit_process(int status) {
  for (;;) system_call(SYS_exit_group, status);
}

}  // namespace heapledger::player::kernel
