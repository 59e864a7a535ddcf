// Whose turn it is, among several threads that want to do something with the same things.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "analyzer/error.h"

namespace heapledger {

class Turns {
 public:
  // Waits for the turn; a thread that has it may take it again. Throws Error of the kind kCancelled
  // when that is asked for meanwhile.
  void take(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const std::thread::id self = std::this_thread::get_id();
    bool free = changed_.wait(lock, stop, [&] { return depth_ == 0 || owner_ == self; });
    if (!free) throw Error("cancelled", ErrorKind::kCancelled);
    owner_ = self;
    ++depth_;
  }

  void give_back() {
    std::lock_guard lock(mutex_);
    if (--depth_ == 0) changed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::thread::id owner_;
  unsigned depth_ = 0;
};

}  // namespace heapledger
