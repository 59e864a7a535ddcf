// Lets one thread at a time do something rare. Nobody waits for it for long: whoever cannot have it
// goes on without. One that another thread held at the moment of a fork is free in the child.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/ledger/file.h"
#include "runtime/os/os.h"

namespace heapledger::runtime {

class ProcessLock {
 public:
  // Zero, or the process that holds it.
  using Word = std::atomic<uint32_t>;

  // Tries so many times, and lets others run in between.
  ProcessLock(Word& word, unsigned attempts) : word_(word) {
    bool quiet = filter_expected();  // no system calls any more
    uint32_t own = quiet ? kSomebody : os::process_id();
    for (unsigned i = 0; i < attempts && !held_; ++i) {
      if (i > 0 && !quiet) os::yield_processor();
      uint32_t holder = word_.load(std::memory_order_relaxed);
      held_ =
          holder != own && (holder == 0 || !quiet) && word_.compare_exchange_strong(holder, own);
    }
  }
  ~ProcessLock() {
    if (held_) word_.store(0, std::memory_order_release);
  }
  ProcessLock(const ProcessLock&) = delete;
  ProcessLock& operator=(const ProcessLock&) = delete;

  explicit operator bool() const { return held_; }

 private:
  static constexpr uint32_t kSomebody = UINT32_MAX;

  Word& word_;
  bool held_ = false;
};

}  // namespace heapledger::runtime
