// The functions that close or replace descriptors: passed on, except that a descriptor of ours,
// which the program cannot know, is not there for them (os/descriptor_gate.h).
#include <cerrno>

#include "runtime/bootstrap/resolve.h"
#include "runtime/ledger/beacon.h"
#include "runtime/ledger/window.h"
#include "runtime/os/descriptor_gate.h"
#include "runtime/os/os.h"

namespace heapledger::runtime {
namespace {

template <typename Function>
Function next(std::atomic<Function>& known, const char* name) {
  Function function = known.load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = reinterpret_cast<Function>(next_definition(name));
    known.store(function, std::memory_order_relaxed);
  }
  return function;
}

bool is_ours(int fd) {
  return beacon->alive != 0 && os::descriptors_held() &&
         os::is_our_descriptor(fd, thread_slot.busy == 0);
}

// A handler that interrupted one of our hooks waits for nothing; our file operations themselves
// are never interrupted.
bool must_keep_apart() {
  return beacon->alive != 0 && thread_slot.busy == 0;
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

EXPORTED int close(int fd) {
  static std::atomic<int (*)(int)> known{nullptr};
  auto function = next(known, "close");
  if (is_ours(fd)) {
    errno = EBADF;
    return -1;
  }
  return function(fd);
}

EXPORTED int dup2(int from, int to) noexcept {
  static std::atomic<int (*)(int, int)> known{nullptr};
  auto function = next(known, "dup2");
  return replacing(to, [=] { return function(from, to); });
}

EXPORTED int dup3(int from, int to, int flags) noexcept {
  static std::atomic<int (*)(int, int, int)> known{nullptr};
  auto function = next(known, "dup3");
  return replacing(to, [=] { return function(from, to, flags); });
}

EXPORTED int close_range(unsigned first, unsigned last, int flags) noexcept {
  static std::atomic<int (*)(unsigned, unsigned, int)> known{nullptr};
  auto function = next(known, "close_range");
  if (function == nullptr) {
    errno = ENOSYS;
    return -1;
  }
  return around_ours(first, last,
                     [=](unsigned from, unsigned to) { return function(from, to, flags); });
}

EXPORTED void closefrom(int first) noexcept {
  static std::atomic<void (*)(int)> known{nullptr};
  auto function = next(known, "closefrom");
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
