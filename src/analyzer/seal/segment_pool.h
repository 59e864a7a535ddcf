// Threads that compress segments and hand them to the writer. add() waits while there is enough to
// do, so memory stays bounded; the first thing that goes wrong in a thread is thrown by add() or
// finish().
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "analyzer/seal/sealed_writer.h"

namespace heapledger::seal {

class SegmentPool {
 public:
  SegmentPool(SealedWriter& writer, int level, unsigned threads);
  ~SegmentPool();
  SegmentPool(const SegmentPool&) = delete;
  SegmentPool& operator=(const SegmentPool&) = delete;

  void add(std::vector<Filling> fillings);

  // Waits until everything is written.
  void finish();

 private:
  void work(int level);
  void stop();

  SealedWriter& writer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<Filling>> jobs_;
  bool closed_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace heapledger::seal
