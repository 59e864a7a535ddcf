// The functions that map memory: passed on, and entered afterwards when that was asked for. libc's
// own mappings, its allocator's among them, do not come by here.
#include <arch_caller.h>
#include <hook_form.h>
#include <linux/mman.h>  // not sys/mman.h: it declares mremap() otherwise

#include <cerrno>
#include <cstdint>

#include "runtime/modes/maps.h"
#include "runtime/os/program_maps.h"

HEAPLEDGER_BEFORE(brk)
HEAPLEDGER_BEFORE(sbrk)

namespace heapledger::runtime {
namespace {

using Map = void* (*)(void*, size_t, int, int, int, long);
using Unmap = int (*)(void*, size_t);
using Remap = void* (*)(void*, size_t, size_t, int, void*);
using SetBreak = int (*)(void*);
using MoveBreak = void* (*)(intptr_t);

struct Next {
  Map map = nullptr;
  Unmap unmap = nullptr;
  Remap remap = nullptr;
};
constinit Next next = {};
void* const kFailed = reinterpret_cast<void*>(-1);

// When the library is initialised: not inside one of these calls, which may be an allocator's, and
// looking up may allocate.
__attribute__((constructor(101))) void find_next() {
  next.unmap = reinterpret_cast<Unmap>(next_definition("munmap"));
  next.remap = reinterpret_cast<Remap>(next_definition("mremap"));
  next.map = reinterpret_cast<Map>(next_definition("mmap"));
}

// The kernel's result as libc gives it.
long as_libc(long result) {
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}

void* map(void* at, size_t bytes, int protection, int flags, int fd, long offset) {
  if (next.map != nullptr) return next.map(at, bytes, protection, flags, fd, offset);
  return reinterpret_cast<void*>(
      as_libc(os::map_for_program(at, bytes, protection, flags, fd, offset)));
}

int unmap(void* at, size_t bytes) {
  if (next.unmap != nullptr) return next.unmap(at, bytes);
  return static_cast<int>(as_libc(os::unmap_for_program(at, bytes)));
}

void* remap(void* old, size_t old_bytes, size_t bytes, int flags, void* at) {
  if (next.remap != nullptr) return next.remap(old, old_bytes, bytes, flags, at);
  return reinterpret_cast<void*>(as_libc(os::remap_for_program(old, old_bytes, bytes, flags, at)));
}

void* move_break(intptr_t bytes) {
  return HEAPLEDGER_NEXT(sbrk, MoveBreak)(bytes);
}

int set_break(void* end) {
  return HEAPLEDGER_NEXT(brk, SetBreak)(end);
}

__attribute__((noinline)) void* map_and_enter(void* at, size_t bytes, int protection, int flags,
                                              int fd, long offset, const Caller& caller) {
  void* result = map(at, bytes, protection, flags, fd, offset);
  if (result != kFailed) enter_map(result, bytes, caller);
  return result;
}

__attribute__((noinline)) int unmap_and_enter(void* at, size_t bytes) {
  uint64_t time = time_before_unmap();
  int result = unmap(at, bytes);
  if (result == 0) enter_unmap(time, at, bytes);
  return result;
}

__attribute__((noinline)) void* remap_and_enter(void* old, size_t old_bytes, size_t bytes,
                                                int flags, void* at, const Caller& caller) {
  uint64_t time = time_before_unmap();
  void* result = remap(old, old_bytes, bytes, flags, at);
  size_t gone = (flags & MREMAP_DONTUNMAP) != 0 ? 0 : old_bytes;
  if (result != kFailed) enter_remap(time, old, gone, result, bytes, caller);
  return result;
}

}  // namespace
}  // namespace heapledger::runtime

// NOLINTBEGIN: names and signatures are libc's.
using namespace heapledger::runtime;
#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void* mmap(void* at, size_t bytes, int protection, int flags, int fd, long offset) {
  CALLER_HERE;
  if (!maps_are_entered()) return map(at, bytes, protection, flags, fd, offset);
  return map_and_enter(at, bytes, protection, flags, fd, offset, {pc, sp, bp});
}

EXPORTED void* mmap64(void* at, size_t bytes, int protection, int flags, int fd, long offset) {
  CALLER_HERE;
  if (!maps_are_entered()) return map(at, bytes, protection, flags, fd, offset);
  return map_and_enter(at, bytes, protection, flags, fd, offset, {pc, sp, bp});
}

EXPORTED int munmap(void* at, size_t bytes) {
  return maps_are_entered() ? unmap_and_enter(at, bytes) : unmap(at, bytes);
}

// The last parameter is there only with some flags, but it is passed as if it always were.
EXPORTED void* mremap(void* old, size_t old_bytes, size_t bytes, int flags, void* at) {
  CALLER_HERE;
  if (!maps_are_entered()) return remap(old, old_bytes, bytes, flags, at);
  return remap_and_enter(old, old_bytes, bytes, flags, at, {pc, sp, bp});
}

EXPORTED int brk(void* end) {
  CALLER_HERE;
  if (!maps_are_entered()) return set_break(end);
  uint64_t time = time_before_unmap();
  void* before = move_break(0);
  int result = set_break(end);
  if (result == 0) enter_break(time, before, end, {pc, sp, bp});
  return result;
}

EXPORTED void* sbrk(intptr_t bytes) {
  CALLER_HERE;
  if (!maps_are_entered() || bytes == 0) return move_break(bytes);
  uint64_t time = time_before_unmap();
  void* before = move_break(bytes);
  if (before != kFailed)
    enter_break(time, before, static_cast<char*>(before) + bytes, {pc, sp, bp});
  return before;
}
// NOLINTEND
