// One line on stderr that tells how far a long analysis has come, with the rate and the time left.
// Appears only on a terminal and only after a second; is gone when the work is done.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heapledger::cli {

class ProgressLine {
 public:
  // Without `wanted`, nothing is ever shown.
  explicit ProgressLine(bool wanted = true);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // `doing` is what the line begins with.
  void update(uint64_t done, uint64_t total, const char* doing = "reading");

  // The same for things that are counted, not bytes.
  void count(uint64_t done, uint64_t total, const char* doing, const char* what);

  // Takes the line away; the next update brings it back.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_;
  Clock::time_point next_;
};

// For Options::progress of ledgers, which keep it and use it for every further pass over them.
std::function<void(uint64_t done, uint64_t total)> a_line_for_each_pass();

}  // namespace heapledger::cli
