// Readings in a thread of their own, so that keys are answered meanwhile, however large the heap
// is. Never more than one at a time.
#pragma once

#include <future>

#include "cli/top/reader.h"

namespace heapledger::cli::top {

class TopBackground {
 public:
  explicit TopBackground(TopReader& reader);
  ~TopBackground();  // waits for the reading
  TopBackground(const TopBackground&) = delete;
  TopBackground& operator=(const TopBackground&) = delete;

  void start();
  bool busy() const { return reading_.valid(); }
  int fd() const { return done_; }  // has something to read when a reading is done
  TopReading take();                // throws what the reader has thrown

 private:
  TopReader& reader_;
  int done_;
  std::future<TopReading> reading_;
};

}  // namespace heapledger::cli::top
