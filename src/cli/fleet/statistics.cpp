#include "cli/fleet/statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace heapledger::cli::fleet {
namespace {

constexpr unsigned kBits = 6;  // of a value that its bucket tells

// Values with how many have each: the middle one.
uint64_t median_of(std::vector<std::pair<uint64_t, uint64_t>> values, uint64_t count) {
  std::sort(values.begin(), values.end());
  uint64_t before = 0;
  for (const auto& [value, many] : values) {
    before += many;
    if (2 * before >= count) return value;
  }
  return 0;
}

uint64_t distance(uint64_t a, uint64_t b) {
  return a > b ? a - b : b - a;
}

template <typename Better>
void keep_best(std::vector<Holder>& holders, Holder holder, Better better) {
  auto place = std::upper_bound(holders.begin(), holders.end(), holder, better);
  if (place == holders.end() && holders.size() == Statistics::kHolders) return;
  holders.insert(place, holder);
  if (holders.size() > Statistics::kHolders) holders.pop_back();
}

bool has_more(const Holder& a, const Holder& b) {
  return a.value != b.value ? a.value > b.value : a.process < b.process;
}

bool has_less(const Holder& a, const Holder& b) {
  return a.value != b.value ? a.value < b.value : a.process < b.process;
}

}  // namespace

uint32_t Statistics::place_of(uint64_t value) {
  const auto width = static_cast<unsigned>(std::bit_width(value));
  if (width <= kBits) return static_cast<uint32_t>(value);
  return (width - kBits) << kBits | static_cast<uint32_t>(value >> (width - kBits));
}

void Statistics::add(Holder holder) {
  ++count_;
  total_ += holder.value;
  squares_ += static_cast<unsigned __int128>(holder.value) * holder.value;
  add(Bucket{place_of(holder.value), 1, holder.value});
  keep_best(most_, holder, has_more);
  keep_best(least_, holder, has_less);
}

void Statistics::add(const Bucket& bucket) {
  auto at = std::lower_bound(buckets_.begin(), buckets_.end(), bucket.place,
                             [](const Bucket& one, uint32_t place) { return one.place < place; });
  if (at == buckets_.end() || at->place != bucket.place) {
    buckets_.insert(at, bucket);
  } else {
    at->count += bucket.count;
    at->total += bucket.total;
  }
}

void Statistics::add(const Statistics& other, uint32_t first) {
  count_ += other.count_;
  total_ += other.total_;
  squares_ += other.squares_;
  for (const Bucket& bucket : other.buckets_) add(bucket);
  for (const Holder& holder : other.most_) {
    keep_best(most_, {holder.process + first, holder.value}, has_more);
  }
  for (const Holder& holder : other.least_) {
    keep_best(least_, {holder.process + first, holder.value}, has_less);
  }
}

Json Statistics::to_json() const {
  Json buckets = Json::array(), most = Json::array(), least = Json::array();
  for (const Bucket& bucket : buckets_) {
    buckets.push_back(Json::array({bucket.place, bucket.count, bucket.total}));
  }
  for (const Holder& holder : most_) most.push_back(Json::array({holder.process, holder.value}));
  for (const Holder& holder : least_) least.push_back(Json::array({holder.process, holder.value}));
  return Json::array({static_cast<uint64_t>(squares_ >> 64), static_cast<uint64_t>(squares_),
                      std::move(buckets), std::move(most), std::move(least)});
}

bool Statistics::read(const Json& json) {
  *this = {};
  if (!json.is_array() || json.size() != 5) return false;
  const Json* const parts = json.begin();
  std::vector<uint64_t> numbers;
  auto read_numbers = [&numbers](const Json& from, size_t count) {
    numbers.clear();
    if (!from.is_array() || from.size() != count) return false;
    for (const Json& one : from) {
      if (!one.natural()) return false;
      numbers.push_back(*one.natural());
    }
    return true;
  };
  if (!parts[0].natural() || !parts[1].natural() || !parts[2].is_array()) return false;
  squares_ = static_cast<unsigned __int128>(*parts[0].natural()) << 64 | *parts[1].natural();
  for (const Json& bucket : parts[2]) {
    if (!read_numbers(bucket, 3) || numbers[1] == 0) return false;
    add(Bucket{static_cast<uint32_t>(numbers[0]), numbers[1], numbers[2]});
    count_ += numbers[1];
    total_ += numbers[2];
  }
  for (const size_t part : {3u, 4u}) {
    if (!parts[part].is_array() || parts[part].size() > kHolders) return false;
    for (const Json& holder : parts[part]) {
      if (!read_numbers(holder, 2)) return false;
      (part == 3 ? most_ : least_).push_back({static_cast<uint32_t>(numbers[0]), numbers[1]});
    }
  }
  return count_ == 0 || !most_.empty();
}

Spread Statistics::of(uint64_t processes) const {
  Spread spread;
  spread.processes = count_;
  spread.total = total_;
  if (processes == 0) return spread;
  const uint64_t without = processes - std::min(processes, count_);
  spread.most = most_.empty() ? 0 : most_.front().value;
  spread.least = without > 0 || least_.empty() ? 0 : least_.front().value;
  const auto all = static_cast<double>(processes);
  spread.mean = static_cast<double>(total_) / all;
  // Whole numbers as long as there is something to cancel.
  const unsigned __int128 spread_out = squares_ * processes;
  const unsigned __int128 together = static_cast<unsigned __int128>(total_) * total_;
  const double variance = static_cast<double>(spread_out - std::min(spread_out, together));
  spread.deviation = std::sqrt(variance) / all;
  std::vector<std::pair<uint64_t, uint64_t>> values, distances;
  if (without > 0) values.emplace_back(0, without);
  for (const Bucket& bucket : buckets_) values.emplace_back(bucket.mean(), bucket.count);
  spread.median = median_of(values, processes);
  for (const auto& [value, many] : values) {
    distances.emplace_back(distance(value, spread.median), many);
  }
  spread.mad = median_of(distances, processes);
  if (spread.mean > 0) spread.imbalance = static_cast<double>(spread.most) / spread.mean - 1;
  for (const auto& [value, many] : values) {
    if (is_outlier(spread, value)) spread.outliers += many;
  }
  return spread;
}

// Six deviations, if the distances were those of a normal distribution (whose deviation is 1.4826
// of theirs), and at least a tenth: where nearly all have the same, the least difference would be
// far.
uint64_t usual_distance(const Spread& spread) {
  const auto by_mad = static_cast<uint64_t>(6 * 1.4826 * static_cast<double>(spread.mad));
  return std::max({by_mad, spread.median / 10, uint64_t{1}});
}

bool is_outlier(const Spread& spread, uint64_t value) {
  return distance(value, spread.median) > usual_distance(spread);
}

}  // namespace heapledger::cli::fleet
