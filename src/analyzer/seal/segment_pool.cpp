#include "analyzer/seal/segment_pool.h"

#include <utility>

namespace heapledger::seal {

SegmentPool::SegmentPool(SealedWriter& writer, int level, unsigned threads) : writer_(writer) {
  for (unsigned i = 0; i < threads; ++i) {
    threads_.emplace_back([this, level] { work(level); });
  }
}

SegmentPool::~SegmentPool() {
  stop();
}

void SegmentPool::stop() {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void SegmentPool::add(std::vector<Filling> fillings) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return failure_ || jobs_.size() < 2 * threads_.size(); });
  if (failure_) std::rethrow_exception(failure_);
  jobs_.push_back(std::move(fillings));
  lock.unlock();
  changed_.notify_all();
}

void SegmentPool::finish() {
  stop();
  if (failure_) std::rethrow_exception(failure_);
}

void SegmentPool::work(int level) {
  try {
    SegmentEncoder encoder(level);
    while (true) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return failure_ || closed_ || !jobs_.empty(); });
      if (failure_ || jobs_.empty()) return;
      std::vector<Filling> fillings = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      changed_.notify_all();
      Bytes content = encoder.encode(fillings);
      writer_.add_segment(fillings, content);
    }
  } catch (...) {
    {
      std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
    changed_.notify_all();
  }
}

}  // namespace heapledger::seal
