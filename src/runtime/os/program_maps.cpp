#include "runtime/os/program_maps.h"

#include <sys/syscall.h>

#include "runtime/os/syscall.h"

namespace heapledger::runtime::os {

long map_for_program(void* at, size_t bytes, int protection, int flags, int fd, long offset) {
  return raw_syscall(SYS_mmap, reinterpret_cast<long>(at), static_cast<long>(bytes), protection,
                     flags, fd, offset);
}

long unmap_for_program(void* at, size_t bytes) {
  return raw_syscall(SYS_munmap, reinterpret_cast<long>(at), static_cast<long>(bytes));
}

long remap_for_program(void* old, size_t old_bytes, size_t bytes, int flags, void* at) {
  return raw_syscall(SYS_mremap, reinterpret_cast<long>(old), static_cast<long>(old_bytes),
                     static_cast<long>(bytes), flags, reinterpret_cast<long>(at));
}

}  // namespace heapledger::runtime::os
