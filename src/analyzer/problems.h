// What is wrong with a ledger, in words for people. A hostile file can have as many faults as it
// has bytes, so only the first are kept as text; the rest are counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heapledger {

class Problems {
 public:
  void add(std::string text) {
    if (texts_.size() < kKept) {
      texts_.push_back(std::move(text));
    } else {
      ++more_;
    }
  }

  bool empty() const { return texts_.empty(); }

  std::vector<std::string> texts() const {
    std::vector<std::string> all = texts_;
    if (more_ > 0) all.push_back("and " + std::to_string(more_) + " more of the same kind");
    return all;
  }

 private:
  static constexpr size_t kKept = 12;

  std::vector<std::string> texts_;
  uint64_t more_ = 0;
};

}  // namespace heapledger
