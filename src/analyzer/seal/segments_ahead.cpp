#include "analyzer/seal/segments_ahead.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

namespace heapledger::seal {
namespace {

std::atomic<unsigned> in_work = 0;

unsigned spare_processors() {
  static const unsigned all = std::max(1u, std::thread::hardware_concurrency());
  return all - 1;
}

}  // namespace

bool SegmentsAhead::has_room() const {
  return jobs_.size() < kMostOfOneFile && in_work.load() < spare_processors();
}

bool SegmentsAhead::has_begun(uint32_t segment) const {
  return std::any_of(jobs_.begin(), jobs_.end(),
                     [segment](const Job& job) { return job.segment == segment; });
}

void SegmentsAhead::begin(uint32_t segment, Bytes content) {
  auto decoder = idle_.empty() ? std::make_unique<SegmentDecoder>() : std::move(idle_.back());
  if (!idle_.empty()) idle_.pop_back();
  ++in_work;
  auto work = [content = std::move(content), decoder = std::move(decoder),
               check_sums = check_sums_]() mutable {
    struct Leaving {
      ~Leaving() { --in_work; }
    } leaving;
    Result result{{}, std::move(decoder)};
    result.decoded.well = result.decoder->decode(content, check_sums, result.decoded.fillings);
    return result;
  };
  try {
    jobs_.push_back({segment, std::async(std::launch::async, std::move(work))});
  } catch (...) {  // no more threads to be had
    --in_work;
  }
}

std::optional<SegmentsAhead::Decoded> SegmentsAhead::take(uint32_t segment) {
  auto found = std::find_if(jobs_.begin(), jobs_.end(),
                            [segment](const Job& job) { return job.segment == segment; });
  if (found == jobs_.end()) return std::nullopt;
  std::future<Result> future = std::move(found->result);
  jobs_.erase(found);
  Result result = future.get();
  idle_.push_back(std::move(result.decoder));
  return std::move(result.decoded);
}

}  // namespace heapledger::seal
