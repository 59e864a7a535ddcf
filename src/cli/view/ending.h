// When to stop: somebody says so, the ledgers cannot be read, or nobody looks any more.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <exception>
#include <functional>
#include <mutex>

namespace heapledger::cli::view {

class Ending {
 public:
  // From now on, Ctrl-C and its like are waited for here; made before any other thread is.
  Ending();
  ~Ending();
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;

  // From any thread: the ledgers are read, or why they cannot be.
  void set_read(std::exception_ptr failure);
  bool is_read() const { return is_read_; }

  enum class Why { kAsked, kAlone };
  // Until `alone`, the time for which nobody has looked, is `linger`. Throws what set_read() was
  // given.
  Why wait(std::chrono::nanoseconds linger, const std::function<std::chrono::nanoseconds()>& alone);

 private:
  sigset_t before_;
  int signals_;
  int read_;
  std::atomic<bool> is_read_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace heapledger::cli::view
