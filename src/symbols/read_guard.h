// libelf and libdw map the files they read. When a page of a mapped file cannot be had, because the
// file was cut meanwhile, its disk fails, or a hole has no room in a full tmpfs, the kernel sends
// SIGBUS, which would end the tool. While a ReadGuard lives, such a page is made one of zeros for
// the thread that has it, whoever mapped the file; failed() says so, and then nothing that was read
// since is to be believed. Only data is guarded, never code; other threads need guards of their
// own.
#pragma once

#include <signal.h>

#include <atomic>

namespace heapledger {

class ReadGuard {
 public:
  ReadGuard();
  ~ReadGuard();
  ReadGuard(const ReadGuard&) = delete;
  ReadGuard& operator=(const ReadGuard&) = delete;

  bool failed() const { return failed_.load(std::memory_order_relaxed); }

 private:
  static void on_bus_error(int number, siginfo_t* info, void* context);

  std::atomic<bool> failed_ = false;
  ReadGuard* const outer_;  // of the same thread
};

}  // namespace heapledger
