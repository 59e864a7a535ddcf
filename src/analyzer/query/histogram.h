// How often values of any size occurred: eight buckets for every power of two, exact below 16. A
// quantile read from it is within 1/16 of the true one; count, sum, smallest and largest are
// exact. Takes memory only for the buckets in use.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace heapledger {

class Histogram {
 public:
  static constexpr unsigned kSubBits = 3;
  static constexpr unsigned kBuckets = (64 - kSubBits + 1) << kSubBits;

  static unsigned bucket_of(uint64_t value) {
    if (value < (2u << kSubBits)) return static_cast<unsigned>(value);
    auto shift = static_cast<unsigned>(std::bit_width(value)) - 1 - kSubBits;
    return ((shift + 1) << kSubBits) + static_cast<unsigned>((value >> shift) & 7);
  }
  static uint64_t lowest_in(unsigned bucket);
  static uint64_t highest_in(unsigned bucket);

  struct Bucket {
    uint64_t count;
    uint16_t number;
    bool operator==(const Bucket&) const = default;
  };

  void add(uint64_t value, uint64_t times = 1) {
    count_ += times;
    sum_ += value * times;
    if (value < smallest_) smallest_ = value;
    if (value > largest_) largest_ = value;
    auto number = static_cast<uint16_t>(bucket_of(value));
    if (last_ < buckets_.size() && buckets_[last_].number == number) {
      buckets_[last_].count += times;
      return;
    }
    add_bucket(number, times);
  }
  void add(const Histogram& other);

  // For those who count by bucket_of() themselves.
  static Histogram from_counts(const uint64_t (&counts)[kBuckets], uint64_t sum, uint64_t smallest,
                               uint64_t largest);

  bool operator==(const Histogram& other) const {
    return buckets_ == other.buckets_ && sum_ == other.sum_ && smallest() == other.smallest() &&
           largest_ == other.largest_;
  }

  uint64_t count() const { return count_; }
  uint64_t sum() const { return sum_; }
  uint64_t smallest() const { return count_ == 0 ? 0 : smallest_; }
  uint64_t largest() const { return largest_; }
  uint64_t mean() const { return count_ == 0 ? 0 : sum_ / count_; }

  // The value that a share of all values is not above: 0.5 for the median.
  uint64_t quantile(double share) const;
  uint64_t median() const { return quantile(0.5); }

  // In ascending order, none of them empty.
  const std::vector<Bucket>& buckets() const { return buckets_; }

  // Counts by power of two: [0] is the value 0, [n] is from 2^(n-1) to 2^n - 1.
  std::vector<uint64_t> by_power_of_two() const;

 private:
  void add_bucket(uint16_t number, uint64_t times);

  std::vector<Bucket> buckets_;
  uint64_t count_ = 0;
  uint64_t sum_ = 0;
  uint64_t smallest_ = UINT64_MAX;
  uint64_t largest_ = 0;
  uint32_t last_ = 0;  // where the last value went
};

}  // namespace heapledger
