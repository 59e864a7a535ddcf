// How far a pass has come, for whoever asked to be told; and whether it is still wanted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "analyzer/error.h"
#include "analyzer/options.h"

namespace heapledger {

class Progress {
 public:
  explicit Progress(Asker asker) : asker_(std::move(asker)) {}

  void expect(uint64_t bytes) { total_ += bytes; }

  // Throws Error of the kind kCancelled.
  void add(uint64_t bytes) {
    done_ = std::min(done_ + bytes, total_);
    if (asker_.stop.stop_requested()) throw Error("cancelled", ErrorKind::kCancelled);
    if (asker_.progress) asker_.progress(done_, total_);
  }

 private:
  Asker asker_;
  uint64_t done_ = 0;
  uint64_t total_ = 0;
};

}  // namespace heapledger
