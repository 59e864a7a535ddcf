// The entries of one window, in order: its extents one after the other, each loaded only when its
// turn comes and dropped when it is used up. Entries are decoded a batch at a time, so that
// whoever processes them can have the memory they will touch fetched ahead. A stream can be held
// at a position until it is released.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <memory>

#include "analyzer/ledger_file.h"
#include "format/entry_decoder.h"

namespace heapledger {

// A place between two entries of a stream.
struct StreamPosition {
  uint64_t seq = 0;
  uint32_t offset = 0;  // payload bytes before it

  friend auto operator<=>(const StreamPosition&, const StreamPosition&) = default;
};

class Stream {
 public:
  Stream(LedgerFile& file, WindowExtents extents) : file_(&file), extents_(extents) {}

  uint32_t window() const { return extents_.front().window; }

  // Whether an entry is at hand. If not, and more_extents(), open_extent() may bring some.
  bool ready() const { return at_ < filled_; }
  bool more_extents() const { return work_ == nullptr && next_ < extents_.size() && !held_; }

  // No entry of the next extent is earlier than this.
  uint64_t next_base_time() const { return extents_[next_].base_time; }

  // The entry at hand. A resize is two events: after the first, the entry stays until the second.
  const format::Entry& head() const { return work_->batch[at_]; }
  uint64_t head_time() const { return resizing ? head().end_time : head().time; }
  bool resizing = false;

  // Drops the entry at hand. True when the next one is at hand without opening an extent.
  template <typename Prefetch>
  bool step(Prefetch&& prefetch) {
    if (++at_ < filled_) [[likely]] {
      return true;
    }
    return fill(prefetch);
  }

  // Moves on to the next extent. False when it brings no entry.
  template <typename Prefetch>
  bool open_extent(Prefetch&& prefetch) {
    return load_next() && fill(prefetch);
  }

  // The thread in charge at the beginning of the extent that was opened last.
  uint32_t extent_thread() const { return extent_thread_; }

  // Whose entries these are at present, in the numbering of whoever scans the stream.
  uint32_t thread = 0;

  // The stream will stop before this position. Positions are given in order, before reading.
  void hold_at(StreamPosition position) { holds_.push_back(position); }

  // Lets the stream go beyond its next position. True when it had been standing there.
  template <typename Prefetch>
  bool release(Prefetch&& prefetch) {
    bool stood = held_ && !ready();
    held_ = false;
    if (!holds_.empty()) holds_.pop_front();
    if (stood && work_ != nullptr) fill(prefetch);
    return stood;
  }

 private:
  static constexpr unsigned kBatch = 64;

  struct Work {
    Payload payload;
    format::EntryDecoder decoder;
    std::array<format::Entry, kBatch> batch;
  };

  template <typename Prefetch>
  bool fill(Prefetch&& prefetch) {
    at_ = filled_ = 0;
    Work& work = *work_;
    while (filled_ < kBatch && !at_hold() && work.decoder.next(work.batch[filled_])) {
      prefetch(work.batch[filled_]);
      ++filled_;
    }
    if (filled_ == 0 && !held_) close_extent();
    return filled_ > 0;
  }

  bool at_hold() {
    if (holds_.empty()) [[likely]] {
      return false;
    }
    return check_hold();
  }

  bool load_next();
  bool check_hold();
  void close_extent();

  LedgerFile* file_;
  WindowExtents extents_;
  size_t next_ = 0;  // in extents_: where the next filling begins
  uint64_t seq_ = 0;
  uint32_t extent_thread_ = 0;
  unsigned at_ = 0;
  unsigned filled_ = 0;
  bool held_ = false;
  std::unique_ptr<Work> work_;
  std::unique_ptr<Work> spare_;  // for the next extent
  std::deque<StreamPosition> holds_;
};

}  // namespace heapledger
