// The functions that close or replace descriptors: passed on, except that a descriptor of ours,
// which the program cannot know, is not there for them (os/descriptor_gate.h). In a handler that
// interrupted an operation of its own thread nothing is waited for.
#include <cerrno>

#include "runtime/bootstrap/resolve.h"
#include "runtime/ledger/beacon.h"
#include "runtime/ledger/window.h"
#include "runtime/os/descriptor_gate.h"

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

template <typename Call>
auto replacing(int fd, Call call) {
  if (fd < 0 || beacon->alive == 0 || thread_slot.busy != 0) return call();
  auto number = static_cast<unsigned>(fd);
  os::RangeClosing closing(number, number);
  return call();
}

template <typename Call>
auto closing_range(unsigned first, unsigned last, Call call) {
  if (beacon->alive == 0 || thread_slot.busy != 0) return call();
  os::RangeClosing closing(first, last);
  return call();
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
  return closing_range(first, last, [=] { return function(first, last, flags); });
}

EXPORTED void closefrom(int first) noexcept {
  static std::atomic<void (*)(int)> known{nullptr};
  auto function = next(known, "closefrom");
  if (function == nullptr) return;
  closing_range(first < 0 ? 0 : static_cast<unsigned>(first), ~0u, [=] { function(first); });
}
// NOLINTEND
