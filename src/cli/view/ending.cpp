#include "cli/view/ending.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace heapledger::cli::view {

Ending::Ending() : before_{}, signals_(-1), read_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  sigset_t ours;
  sigemptyset(&ours);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ours, signal);
  ::pthread_sigmask(SIG_BLOCK, &ours, &before_);
  signals_ = ::signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
}

Ending::~Ending() {
  // What has come is done with.
  signalfd_siginfo signal;
  while (::read(signals_, &signal, sizeof signal) > 0) {
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  ::close(signals_);
  ::close(read_);
}

void Ending::set_read(std::exception_ptr failure) {
  {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
  }
  is_read_ = true;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t wrote = ::write(read_, &one, sizeof one);
}

Ending::Why Ending::wait(std::chrono::nanoseconds linger,
                         const std::function<std::chrono::nanoseconds()>& alone) {
  while (true) {
    std::chrono::milliseconds left{-1};
    if (is_read_) {
      left = std::chrono::ceil<std::chrono::milliseconds>(linger - alone());
      if (left.count() <= 0) return Why::kAlone;
      left = std::min(left, std::chrono::milliseconds(INT32_MAX));
    }
    std::array<pollfd, 2> waiting = {{{signals_, POLLIN, 0}, {read_, POLLIN, 0}}};
    ::poll(waiting.data(), waiting.size(), static_cast<int>(left.count()));
    if (waiting[0].revents != 0) return Why::kAsked;
    if (waiting[1].revents == 0) continue;
    uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(read_, &count, sizeof count);
    const std::lock_guard lock(mutex_);
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }
}

}  // namespace heapledger::cli::view
