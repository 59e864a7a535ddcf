#include "symbols/read_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <mutex>

namespace heapledger {
namespace {

// The handler is there only while it is needed, so that no program that the tool starts and no
// other code of the tool ever meets it.
std::mutex lock;
int guards = 0;
struct sigaction before;

thread_local ReadGuard* innermost = nullptr;

const auto kPage = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));

bool give_zeros(void* address) {
  char* start = static_cast<char*>(address);
  start -= reinterpret_cast<uintptr_t>(start) & (kPage - 1);
  return ::mmap(start, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) != MAP_FAILED;
}

}  // namespace

void ReadGuard::on_bus_error(int number, siginfo_t* info, void*) {
  const int error = errno;
  if (innermost != nullptr && info->si_code == BUS_ADRERR && give_zeros(info->si_addr)) {
    for (ReadGuard* guard = innermost; guard != nullptr; guard = guard->outer_) {
      guard->failed_.store(true, std::memory_order_relaxed);
    }
  } else {
    // As if we were not here: an access is made again, a signal that somebody sent is sent again.
    ::sigaction(number, &before, nullptr);
    if (info->si_code <= 0) ::raise(number);
  }
  errno = error;
}

ReadGuard::ReadGuard() : outer_(innermost) {
  const std::lock_guard only(lock);
  if (guards++ == 0) {
    struct sigaction ours = {};
    ours.sa_sigaction = on_bus_error;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&ours.sa_mask);
    ::sigaction(SIGBUS, &ours, &before);
  }
  innermost = this;
}

ReadGuard::~ReadGuard() {
  const std::lock_guard only(lock);
  innermost = outer_;
  if (--guards == 0) ::sigaction(SIGBUS, &before, nullptr);
}

}  // namespace heapledger
