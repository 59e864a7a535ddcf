#include "analyzer/query/histogram.h"

#include <algorithm>
#include <cmath>

namespace heapledger {

uint64_t Histogram::lowest_in(unsigned bucket) {
  if (bucket < (2u << kSubBits)) return bucket;
  unsigned shift = (bucket >> kSubBits) - 1;
  return uint64_t{(1u << kSubBits) + (bucket & 7)} << shift;
}

uint64_t Histogram::highest_in(unsigned bucket) {
  return bucket + 1 >= kBuckets ? UINT64_MAX : lowest_in(bucket + 1) - 1;
}

void Histogram::add_bucket(uint16_t number, uint64_t times) {
  auto at = std::lower_bound(buckets_.begin(), buckets_.end(), number,
                             [](const Bucket& b, uint16_t n) { return b.number < n; });
  if (at == buckets_.end() || at->number != number) at = buckets_.insert(at, {0, number});
  at->count += times;
  last_ = static_cast<uint32_t>(at - buckets_.begin());
}

void Histogram::add(const Histogram& other) {
  for (const Bucket& bucket : other.buckets_) add_bucket(bucket.number, bucket.count);
  count_ += other.count_;
  sum_ += other.sum_;
  smallest_ = std::min(smallest_, other.smallest_);
  largest_ = std::max(largest_, other.largest_);
}

Histogram Histogram::from_counts(const uint64_t (&counts)[kBuckets], uint64_t sum,
                                 uint64_t smallest, uint64_t largest) {
  Histogram histogram;
  for (unsigned i = 0; i < kBuckets; ++i) {
    if (counts[i] == 0) continue;
    histogram.buckets_.push_back({counts[i], static_cast<uint16_t>(i)});
    histogram.count_ += counts[i];
  }
  histogram.sum_ = sum;
  histogram.smallest_ = smallest;
  histogram.largest_ = largest;
  return histogram;
}

// In the middle of the bucket that has the wanted value, but never outside of what there was.
uint64_t Histogram::quantile(double share) const {
  if (count_ == 0) return 0;
  double wanted = std::ceil(share * static_cast<double>(count_));
  auto rank = std::clamp<uint64_t>(static_cast<uint64_t>(wanted), 1, count_);
  if (rank == 1) return smallest_;
  if (rank == count_) return largest_;
  uint64_t before = 0;
  for (const Bucket& bucket : buckets_) {
    before += bucket.count;
    if (before < rank) continue;
    uint64_t low = lowest_in(bucket.number);
    uint64_t middle = low + (highest_in(bucket.number) - low) / 2;
    return std::clamp(middle, smallest_, largest_);
  }
  return largest_;
}

std::vector<uint64_t> Histogram::by_power_of_two() const {
  std::vector<uint64_t> powers;
  for (const Bucket& bucket : buckets_) {
    auto power = static_cast<size_t>(std::bit_width(lowest_in(bucket.number)));
    if (power >= powers.size()) powers.resize(power + 1);
    powers[power] += bucket.count;
  }
  return powers;
}

}  // namespace heapledger
