#include "replay/statistics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace heapledger {

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  if (values.size() % 2 != 0) return values[middle];
  return (values[middle - 1] + values[middle]) / 2;
}

Measured measured_from(std::vector<double> rounds) {
  Measured measured;
  if (rounds.empty()) return measured;
  measured.median = median_of(rounds);
  const auto [least, most] = std::minmax_element(rounds.begin(), rounds.end());
  measured.least = *least;
  measured.most = *most;
  measured.rounds = std::move(rounds);
  return measured;
}

double t_quantile(size_t degrees) {
  constexpr double kTable[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                               2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                               2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                               2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  if (degrees == 0) return HUGE_VAL;
  return degrees <= std::size(kTable) ? kTable[degrees - 1] : 1.96;
}

Ratio ratio_of(const Measured& figure, const Measured& baseline) {
  Ratio ratio;
  ratio.defined = baseline.median > 0;
  if (ratio.defined) ratio.ratio = figure.median / baseline.median;
  ratio.low = ratio.high = ratio.ratio;
  const size_t pairs = std::min(figure.rounds.size(), baseline.rounds.size());
  if (pairs < 2) return ratio;
  std::vector<double> logs;
  double sum = 0;
  for (size_t i = 0; i < pairs; ++i) {
    if (!(figure.rounds[i] > 0) || !(baseline.rounds[i] > 0)) return ratio;
    logs.push_back(std::log(figure.rounds[i] / baseline.rounds[i]));
    sum += logs.back();
  }
  const double count = static_cast<double>(pairs);
  const double mean = sum / count;
  double squares = 0;
  for (double value : logs) squares += (value - mean) * (value - mean);
  const double half = t_quantile(pairs - 1) * std::sqrt(squares / (count - 1) / count);
  ratio.ratio = std::exp(mean);
  ratio.low = std::exp(mean - half);
  ratio.high = std::exp(mean + half);
  ratio.known = true;
  return ratio;
}

void LatencySum::add(const results::Results& results) {
  for (uint32_t i = 0; i < results::kLatencyBuckets; ++i) {
    buckets_[i] += results.latency[i];
    count_ += results.latency[i];
  }
  worst_ = std::max(worst_, results.latency_worst);
}

uint32_t LatencySum::clock_step() const {
  uint32_t step = 0;
  // Short times have a bucket for each tick. Where few calls are, something else was in the way.
  for (uint32_t ticks = 1; ticks < 2 * results::kSteps; ++ticks) {
    if (buckets_[ticks] * 1000 > count_) step = std::gcd(step, ticks);
  }
  return std::max(step, 1u);
}

double LatencySum::quantile(double part, uint32_t step) const {
  const double wanted = part * static_cast<double>(count_);
  double before = 0;
  for (uint32_t i = 0; i + 1 < results::kLatencyBuckets; ++i) {
    if (buckets_[i] == 0) continue;
    const auto here = static_cast<double>(buckets_[i]);
    if (before + here >= wanted) {
      auto begin = static_cast<double>(results::latency_floor(i));
      auto end = static_cast<double>(results::latency_floor(i + 1));
      if (end - begin < step) {
        end = begin + step / 2.0;
        begin = std::max(0.0, begin - step / 2.0);
      }
      const double value = begin + (end - begin) * (wanted - before) / here;
      return worst_ == 0 ? value : std::min(value, static_cast<double>(worst_));
    }
    before += here;
  }
  return static_cast<double>(worst_);
}

}  // namespace heapledger
