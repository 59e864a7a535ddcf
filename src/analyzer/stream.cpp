#include "analyzer/stream.h"

#include <string>

namespace heapledger {

bool Stream::load_next() {
  const uint64_t seq = extents_[next_].seq;
  if (!holds_.empty() && seq > holds_.front().seq) {
    held_ = true;
    return false;
  }
  size_t after = next_ + 1;
  while (after < extents_.size() && extents_[after].seq == seq) ++after;
  WindowExtents places = extents_.subspan(next_, after - next_);
  next_ = after;
  seq_ = seq;
  std::unique_ptr<Work> work = std::move(spare_);
  if (work == nullptr) work = std::make_unique<Work>();
  work->payload.cut = false;
  if (!file_->load(places, work->payload)) return false;
  const std::vector<unsigned char>& bytes = work->payload.bytes;
  work->decoder =
      format::EntryDecoder(bytes.data(), bytes.data() + bytes.size(), work->payload.base_time);
  extent_thread_ = work->payload.thread;
  work_ = std::move(work);
  return true;
}

bool Stream::check_hold() {
  auto offset = static_cast<uint32_t>(work_->decoder.position() - work_->payload.bytes.data());
  held_ = StreamPosition{seq_, offset} >= holds_.front();
  return held_;
}

void Stream::close_extent() {
  const std::vector<unsigned char>& bytes = work_->payload.bytes;
  if (work_->decoder.damaged() || work_->decoder.position() != bytes.data() + bytes.size()) {
    file_->problems().add("chunk " + std::to_string(seq_) + " of window " +
                          std::to_string(window()) +
                          " is damaged inside; what follows the damage is left out");
  }
  // Memory that is given back and taken again for every extent would be cleared every time.
  if (next_ < extents_.size()) spare_ = std::move(work_);
  work_.reset();
}

}  // namespace heapledger
