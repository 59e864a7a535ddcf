// The ledger of a process that runs, as those who give it orders find and use it: through the
// mapping that the process has of it, and the place for orders in its header (format::Control).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "format/layout.h"

namespace heapledger::cli {

class RunningLedger {
 public:
  // Throws Error that says why there is none, or why it cannot be reached.
  explicit RunningLedger(pid_t process);
  ~RunningLedger();
  RunningLedger(const RunningLedger&) = delete;
  RunningLedger& operator=(const RunningLedger&) = delete;

  const std::string& path() const { return path_; }

  // As they are now. These and the rest throw Error when the file has been cut meanwhile.
  format::FileHeader header() const;
  format::Control control() const;

  // False: it is the ledger of a process that this one was forked from, and from which it takes
  // orders until it has its own.
  bool is_own() const { return own_; }

  // Writes the order and returns its number. Others who order wait until this object is gone.
  uint64_t send(const std::string& words);

  // Whether an order of that number has been carried out, and how that went.
  bool is_done(uint64_t number) const;
  format::ControlResult result() const;

 private:
  template <typename Act>
  auto guarded(Act act) const;

  std::string path_;
  bool own_ = false;
  uint32_t pid_ = 0;  // as the process itself sees it
  int fd_ = -1;
  format::FileHeader* header_ = nullptr;
  format::Control* control_ = nullptr;
};

// Has the process carry out an order, with its next call; waits so many seconds for that. Throws
// Error when it could not be given, or was not carried out. `check` may refuse it before.
void give_order(int process, const std::string& order, double wait,
                const std::function<void(const RunningLedger&)>& check = {});
inline constexpr double kOrderPatience = 2;

}  // namespace heapledger::cli
