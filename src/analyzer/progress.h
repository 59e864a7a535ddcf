// How far an analysis has come, for whoever asked to be told.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

namespace heapledger {

class Progress {
 public:
  using Callback = std::function<void(uint64_t done, uint64_t total)>;

  explicit Progress(Callback callback) : callback_(std::move(callback)) {}

  void expect(uint64_t bytes) { total_ += bytes; }

  void add(uint64_t bytes) {
    done_ = std::min(done_ + bytes, total_);
    if (callback_) callback_(done_, total_);
  }

 private:
  Callback callback_;
  uint64_t done_ = 0;
  uint64_t total_ = 0;
};

}  // namespace heapledger
