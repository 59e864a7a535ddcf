// The streams of one ledger as one sequence in the order of time; where times are equal, in the
// order of windows. A run of entries from one stream goes by without touching the order of the
// others. Holds no more than one extent for each window that is in use.
//
// The visitor has:
//   void extent_opened(Stream&)                  the stream begins an extent: see extent_thread()
//   void entry(Stream&, const format::Entry&)   an entry; of a resize, the death of the old block
//   void resized(Stream&, const format::Entry&) the birth of the new one
//   void prefetch(const format::Entry&)         this entry will come soon
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyzer/stream.h"
#include "format/functions.h"

namespace heapledger {

class Merge {
 public:
  explicit Merge(LedgerFile& file) : Merge(file, file.index().windows()) {}

  // The same for parts of the windows, none empty: to go on from a moment within the ledger.
  Merge(LedgerFile& file, const std::vector<WindowExtents>& windows) {
    streams_.reserve(windows.size());
    for (WindowExtents extents : windows) streams_.emplace_back(file, extents);
    for (uint32_t i = 0; i < streams_.size(); ++i) {
      order_.push_back({streams_[i].next_base_time(), i});
    }
    std::make_heap(order_.begin(), order_.end(), later);
  }

  bool finished() const { return order_.empty(); }

  // Leaves out all the rest.
  void stop() { order_.clear(); }

  // The time of the next entry, or a little before it.
  uint64_t next_time() const { return order_.front().time; }

  // Passes on everything up to and including `limit`.
  template <typename Visitor>
  void run(uint64_t limit, Visitor& visitor) {
    auto prefetch = [&visitor](const format::Entry& entry) { visitor.prefetch(entry); };
    while (!order_.empty() && order_.front().time <= limit) {
      Stream& stream = streams_[order_.front().stream];
      if (stream.ready()) {
        run_stream(stream, last_time_of_run(limit), visitor, prefetch);
      } else if (stream.open_extent(prefetch)) {
        visitor.extent_opened(stream);
      }
      place_first(stream);
    }
  }

  // Makes the stream of a window stop at a position; before the first run() only.
  void hold(uint32_t window, StreamPosition position) {
    for (Stream& stream : streams_) {
      if (stream.window() == window) stream.hold_at(position);
    }
  }

  template <typename Visitor>
  void release(uint32_t window, Visitor& visitor) {
    for (uint32_t i = 0; i < streams_.size(); ++i) {
      Stream& stream = streams_[i];
      if (stream.window() != window) continue;
      auto prefetch = [&visitor](const format::Entry& entry) { visitor.prefetch(entry); };
      if (stream.release(prefetch) && (stream.ready() || stream.more_extents())) {
        order_.push_back({time_of(stream), i});
        std::push_heap(order_.begin(), order_.end(), later);
      }
    }
  }

 private:
  struct Next {
    uint64_t time;
    uint32_t stream;
  };

  static bool later(const Next& a, const Next& b) {
    return a.time != b.time ? a.time > b.time : a.stream > b.stream;
  }

  static uint64_t time_of(const Stream& stream) {
    return stream.ready() ? stream.head_time() : stream.next_base_time();
  }

  // The last time at which the first stream is still first.
  uint64_t last_time_of_run(uint64_t limit) const {
    if (order_.size() < 2) return limit;
    const Next* second = &order_[1];
    if (order_.size() > 2 && later(*second, order_[2])) second = &order_[2];
    bool wins_ties = order_.front().stream < second->stream;
    uint64_t last = wins_ties || second->time == 0 ? second->time : second->time - 1;
    return std::min(limit, last);
  }

  template <typename Visitor, typename Prefetch>
  static void run_stream(Stream& stream, uint64_t last, Visitor& visitor, Prefetch& prefetch) {
    do {
      const format::Entry& entry = stream.head();
      bool resize = format::event_of(entry.kind) == format::Event::kResize;
      if (resize && !stream.resizing) {
        visitor.entry(stream, entry);
        stream.resizing = true;
        continue;
      }
      if (resize) {
        visitor.resized(stream, entry);
        stream.resizing = false;
      } else {
        visitor.entry(stream, entry);
      }
      if (!stream.step(prefetch)) return;
    } while (stream.head_time() <= last);
  }

  // Puts the stream that was first where it belongs now.
  void place_first(Stream& stream) {
    if (!stream.ready() && !stream.more_extents()) {
      std::pop_heap(order_.begin(), order_.end(), later);
      order_.pop_back();
      return;
    }
    sift_down({time_of(stream), order_.front().stream});
  }

  void sift_down(Next moved) {
    size_t at = 0;
    for (size_t child = 1; child < order_.size(); child = 2 * at + 1) {
      if (child + 1 < order_.size() && later(order_[child], order_[child + 1])) ++child;
      if (!later(moved, order_[child])) break;
      order_[at] = order_[child];
      at = child;
    }
    order_[at] = moved;
  }

  std::vector<Stream> streams_;
  std::vector<Next> order_;  // a heap, the earliest in front
};

}  // namespace heapledger
