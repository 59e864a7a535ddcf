// The program's own mapping calls, made as libc makes them but without it: for calls that come
// before libc's functions have been looked up, which must not happen inside somebody's mmap.
// Each returns the kernel's result, or -errno.
#pragma once

#include <cstddef>

namespace heapledger::runtime::os {

long map_for_program(void* at, size_t bytes, int protection, int flags, int fd, long offset);
long unmap_for_program(void* at, size_t bytes);
long remap_for_program(void* old, size_t old_bytes, size_t bytes, int flags, void* at);

}  // namespace heapledger::runtime::os
