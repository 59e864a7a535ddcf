#include "analyzer/query/series.h"

#include <algorithm>

#include "analyzer/query/series_recorder.h"

namespace heapledger {
namespace {

// `later` directly follows.
void join(SeriesBucket& bucket, const SeriesBucket& later) {
  bucket.min_bytes = std::min(bucket.min_bytes, later.min_bytes);
  bucket.max_bytes = std::max(bucket.max_bytes, later.max_bytes);
  bucket.end_bytes = later.end_bytes;
  bucket.min_blocks = std::min(bucket.min_blocks, later.min_blocks);
  bucket.max_blocks = std::max(bucket.max_blocks, later.max_blocks);
  bucket.end_blocks = later.end_blocks;
  bucket.calls += later.calls;
  bucket.bytes += later.bytes;
  bucket.min_rss = std::min(bucket.min_rss, later.min_rss);
  bucket.max_rss = std::max(bucket.max_rss, later.max_rss);
  bucket.end_rss = later.end_rss;
}

}  // namespace

Series Series::with_at_most(size_t count) const {
  Series coarse;
  if (count == 0 || buckets.empty()) return coarse;
  size_t together = (buckets.size() + count - 1) / count;
  coarse.width_ns = width_ns * together;
  for (size_t i = 0; i < buckets.size(); ++i) {
    if (i % together == 0) {
      coarse.buckets.push_back(buckets[i]);
    } else {
      join(coarse.buckets.back(), buckets[i]);
    }
  }
  return coarse;
}

// A bucket begins with what there was at the end of the one before.
void SeriesRecorder::open_bucket() {
  done_.push_back(now_);
  now_.min_bytes = now_.max_bytes = now_.end_bytes;
  now_.min_blocks = now_.max_blocks = now_.end_blocks;
  now_.calls = now_.bytes = 0;
  now_.min_rss = now_.max_rss = now_.end_rss;
  end_ = end_ > UINT64_MAX - width_ ? UINT64_MAX : end_ + width_;
}

// Every two buckets become one. The one being filled is the second of a pair: there are an odd
// number of others.
void SeriesRecorder::halve() {
  for (size_t i = 0; i + 1 < done_.size(); i += 2) {
    join(done_[i], done_[i + 1]);
    done_[i / 2] = done_[i];
  }
  SeriesBucket first = done_.back();
  done_.resize(done_.size() / 2);
  join(first, now_);
  now_ = first;
  width_ *= 2;
}

void SeriesRecorder::advance(uint64_t now_ns) {
  while (now_ns >= end_ && end_ != UINT64_MAX) {
    if (done_.size() == kBuckets - 1) {
      // Here now_ is the last of an even number of buckets, and ends where the halved one ends.
      halve();
    } else {
      open_bucket();
    }
  }
}

void SeriesRecorder::rss(uint64_t bytes, uint64_t most) {
  if (!has_rss_) now_.min_rss = bytes;
  has_rss_ = true;
  now_.end_rss = bytes;
  now_.min_rss = std::min(now_.min_rss, bytes);
  now_.max_rss = std::max({now_.max_rss, bytes, most});
}

Series SeriesRecorder::finish(uint64_t end_ns) {
  if (end_ns >= end_) advance(end_ns);
  Series series;
  series.width_ns = width_;
  series.buckets = std::move(done_);
  series.buckets.push_back(now_);
  return series;
}

}  // namespace heapledger
