// Hands batches of messages from each thread to the next one, round in a ring, so that blocks are
// freed by another thread than the one that allocated them. Allocates nothing itself, and never
// spins: however the threads are scheduled, the program makes the same allocations.
#pragma once

#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace heapledger::bench {

struct Message {
  std::string subject;
  std::vector<std::string> lines;
};
using Batch = std::vector<std::unique_ptr<Message>>;

class Exchange {
 public:
  static constexpr unsigned kMaxThreads = 64;

  explicit Exchange(unsigned threads) : threads_(threads) {}

  // Sends a batch to the thread after `self`. While that one's box is full, mail that has come for
  // `self` is passed to `receive`; the ring can therefore never stand still.
  template <typename Receive>
  void send(unsigned self, Batch batch, Receive receive) {
    Box& target = boxes_[(self + 1) % threads_];
    std::unique_lock lock(mutex_);
    for (;;) {
      if (boxes_[self].count > 0) {
        take(self, lock, receive);
      } else if (target.count < kBoxBatches) {
        target.batches[target.count++] = std::move(batch);
        changed_.notify_all();
        return;
      } else {
        changed_.wait(lock);
      }
    }
  }

  // Says that `self` sends no more, then takes mail until the thread before it has said so too.
  template <typename Receive>
  void finish(unsigned self, Receive receive) {
    std::unique_lock lock(mutex_);
    boxes_[(self + 1) % threads_].closed = true;
    changed_.notify_all();
    for (;;) {
      if (boxes_[self].count > 0) {
        take(self, lock, receive);
      } else if (boxes_[self].closed) {
        return;
      } else {
        changed_.wait(lock);
      }
    }
  }

 private:
  static constexpr unsigned kBoxBatches = 8;

  struct Box {
    std::array<Batch, kBoxBatches> batches;
    unsigned count = 0;
    bool closed = false;
  };

  template <typename Receive>
  void take(unsigned self, std::unique_lock<std::mutex>& lock, Receive receive) {
    Batch batch = std::move(boxes_[self].batches[--boxes_[self].count]);
    changed_.notify_all();
    lock.unlock();
    receive(std::move(batch));
    lock.lock();
  }

  unsigned threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Box, kMaxThreads> boxes_;
};

}  // namespace heapledger::bench
