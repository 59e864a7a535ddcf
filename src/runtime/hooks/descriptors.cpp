// The functions that close or replace descriptors: passed on, except that a descriptor of ours,
// which the program cannot know, is not there for them (os/descriptor_gate.h).
#include <hook_form.h>

#include <cerrno>

#include "runtime/ledger/beacon.h"
#include "runtime/ledger/window.h"
#include "runtime/os/descriptor_gate.h"
#include "runtime/os/os.h"

namespace heapledger::runtime {
namespace {

bool is_ours(int fd) {
  return beacon->alive != 0 && os::descriptors_held() && os::is_our_descriptor(fd, !hook_at_work());
}

// A handler that interrupted one of our hooks waits for nothing; our file operations themselves
// are never interrupted.
bool must_keep_apart() {
  return beacon->alive != 0 && !hook_at_work();
}

template <typename Call>
auto replacing(int fd, Call call) {
  if (fd < 0 || !must_keep_apart()) return call();
  auto number = static_cast<unsigned>(fd);
  os::RangeClosing closing(number, number);
  closing.wait_for_ours();
  return call();
}

// Calls `close_part` for the parts of [first, last] between our descriptors. Its first failure is
// the result.
template <typename Part>
int around_ours(unsigned first, unsigned last, Part close_part) {
  if (first > last || !must_keep_apart()) return close_part(first, last);
  os::RangeClosing closing(first, last);
  uint64_t from = first;
  for (int fd : closing) {
    auto ours = static_cast<unsigned>(fd);
    int result = from < ours ? close_part(static_cast<unsigned>(from), ours - 1) : 0;
    if (result != 0) return result;
    from = uint64_t{ours} + 1;
  }
  return from <= last ? close_part(static_cast<unsigned>(from), last) : 0;
}

}  // namespace
}  // namespace heapledger::runtime

// NOLINTBEGIN: names and signatures are libc's.
using namespace heapledger::runtime;
#define EXPORTED extern "C" __attribute__((visibility("default")))

HEAPLEDGER_BEFORE(close)
HEAPLEDGER_BEFORE(dup2)
HEAPLEDGER_BEFORE(dup3)
HEAPLEDGER_BEFORE(close_range)
HEAPLEDGER_BEFORE(closefrom)

EXPORTED int HEAPLEDGER_HOOK(close)(int fd) {
  auto function = HEAPLEDGER_NEXT(close, int (*)(int));
  if (is_ours(fd)) {
    errno = EBADF;
    return -1;
  }
  return function(fd);
}

EXPORTED int HEAPLEDGER_HOOK(dup2)(int from, int to) noexcept {
  auto function = HEAPLEDGER_NEXT(dup2, int (*)(int, int));
  return replacing(to, [=] { return function(from, to); });
}

EXPORTED int HEAPLEDGER_HOOK(dup3)(int from, int to, int flags) noexcept {
  auto function = HEAPLEDGER_NEXT(dup3, int (*)(int, int, int));
  return replacing(to, [=] { return function(from, to, flags); });
}

EXPORTED int HEAPLEDGER_HOOK(close_range)(unsigned first, unsigned last, int flags) noexcept {
  auto function = HEAPLEDGER_NEXT(close_range, int (*)(unsigned, unsigned, int));
  if (function == nullptr) {
    errno = ENOSYS;
    return -1;
  }
  return around_ours(first, last,
                     [=](unsigned from, unsigned to) { return function(from, to, flags); });
}

EXPORTED void HEAPLEDGER_HOOK(closefrom)(int first) noexcept {
  auto function = HEAPLEDGER_NEXT(closefrom, void (*)(int));
  if (function == nullptr) return;
  // Between two of ours there is no function for a part: few descriptors, one by one.
  around_ours(first < 0 ? 0 : static_cast<unsigned>(first), ~0u, [=](unsigned from, unsigned to) {
    if (to == ~0u) {
      function(static_cast<int>(from));
    } else {
      for (unsigned fd = from; fd <= to; ++fd) os::close_file(static_cast<int>(fd));
    }
    return 0;
  });
}
// NOLINTEND
