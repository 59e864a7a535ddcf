// Segments decoded by other processors before somebody asks for them. No more are in work at once,
// in the whole process, than the machine has processors to spare; with one processor, none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "analyzer/seal/segment.h"

namespace heapledger::seal {

class SegmentsAhead {
 public:
  explicit SegmentsAhead(bool check_sums) : check_sums_(check_sums) {}
  SegmentsAhead(const SegmentsAhead&) = delete;
  SegmentsAhead& operator=(const SegmentsAhead&) = delete;

  // What is shorter is decoded sooner than a thread has begun.
  static constexpr uint64_t kLeastBytes = 4096;

  // Whether one more may be begun.
  bool has_room() const;
  bool has_begun(uint32_t segment) const;

  void begin(uint32_t segment, Bytes content);

  struct Decoded {
    bool well = false;
    std::vector<Filling> fillings;
  };
  // Waits for it; nothing when it was not begun.
  std::optional<Decoded> take(uint32_t segment);

 private:
  struct Result {
    Decoded decoded;
    std::unique_ptr<SegmentDecoder> decoder;
  };
  struct Job {
    uint32_t segment;
    std::future<Result> result;
  };

  static constexpr size_t kMostOfOneFile = 4;  // those that nobody takes included

  bool check_sums_;
  std::vector<Job> jobs_;  // the oldest first; a future waits for its end
  std::vector<std::unique_ptr<SegmentDecoder>> idle_;
};

}  // namespace heapledger::seal
