#include "replay/statistics.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace heapledger {
namespace {

// The part of all means that lie within t standard errors either way: the density of Student's t,
// integrated, is a finite sum in the angle whose tangent is t by the root of the degrees.
double part_within(double t, size_t degrees) {
  constexpr size_t kAsGoodAsNormal = 2000;
  degrees = std::min(degrees, kAsGoodAsNormal);
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double square = std::cos(angle) * std::cos(angle);
  const bool odd = degrees % 2 != 0;
  double term = odd ? std::cos(angle) : 1;
  double sum = 0;
  for (size_t i = odd ? 3 : 2; i <= degrees; i += 2) {
    sum += term;
    term *= square * static_cast<double>(i - 1) / static_cast<double>(i);
  }
  sum *= std::sin(angle);
  return odd ? (angle + sum) * 2 / std::numbers::pi : sum;
}

}  // namespace

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

double t_quantile(size_t degrees, double outside) {
  if (degrees == 0 || outside <= 0) return HUGE_VAL;
  double least = 0;
  double most = 1;
  while (part_within(most, degrees) < 1 - outside && most < 1e12) most *= 2;
  for (int halvings = 0; halvings < 60; ++halvings) {
    const double middle = (least + most) / 2;
    (part_within(middle, degrees) < 1 - outside ? least : most) = middle;
  }
  return (least + most) / 2;
}

Ratio with_interval(const Ratio& ratio, size_t pairs, double outside) {
  if (!ratio.known || pairs < 2 || !(ratio.low > 0)) return ratio;
  const double wider = t_quantile(pairs - 1, outside) / t_quantile(pairs - 1);
  Ratio other = ratio;
  other.low = ratio.ratio * std::pow(ratio.low / ratio.ratio, wider);
  other.high = ratio.ratio * std::pow(ratio.high / ratio.ratio, wider);
  return other;
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
