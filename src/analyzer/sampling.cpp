#include "analyzer/sampling.h"

#include <algorithm>
#include <cmath>

#include "format/entry_decoder.h"
#include "format/modes.h"

namespace heapledger {
namespace {

using format::kModeLive;
using format::kModeSample;
using format::kModeTrace;

constexpr uint64_t kWholeProcess = 0;
constexpr size_t kMaxChanges = 65536;
constexpr double kLargest = 4e18;

uint64_t mixed(uint64_t value) {
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
  value = (value ^ value >> 27) * 0x94D049BB133111EBu;
  return value ^ value >> 31;
}

double fraction(uint64_t random) {
  return static_cast<double>(random >> 11) * 0x1p-53;
}

uint64_t rounded(double value, uint64_t random) {
  return static_cast<uint64_t>(std::min(std::floor(value + fraction(random)), kLargest));
}

}  // namespace

Sampling::Sampling(const format::FileHeader& header) {
  if (header.mode != kModeSample && header.mode != kModeLive) return;
  first_.calls = header.sample_calls;
  first_.bytes = header.sample_calls == 0 ? header.sample_bytes : 0;
  exact_ = first_.bytes == 0 && first_.calls == 0;
}

void Sampling::change(uint64_t time, std::string_view fields) {
  format::FieldReader reader(fields);
  uint64_t scope, mode, bytes, calls;
  if (!reader.number(scope) || !reader.number(mode) || !reader.number(bytes) ||
      !reader.number(calls) || scope != kWholeProcess || later_.size() >= kMaxChanges) {
    return;
  }
  if (mode != kModeTrace && mode != kModeSample) return;  // in others no block is entered
  Rate rate{time, 0, 0};
  if (mode == kModeSample) {
    rate.calls = calls;
    rate.bytes = calls == 0 ? bytes : 0;
    exact_ = exact_ && rate.bytes == 0 && rate.calls == 0;
  }
  auto at = std::partition_point(later_.begin(), later_.end(),
                                 [time](const Rate& known) { return known.time < time; });
  if (at != later_.end() && at->time == time) {
    *at = rate;
  } else {
    later_.insert(at, rate);
  }
}

Weight Sampling::weigh(uint64_t size, uint64_t time, uint64_t address) const {
  const Rate* rate = &first_;
  auto next = std::partition_point(later_.begin(), later_.end(),
                                   [time](const Rate& known) { return known.time <= time; });
  if (next != later_.begin()) rate = &*(next - 1);
  Weight weight;
  weight.bytes = size;
  auto wide = static_cast<double>(size);
  if (rate->calls > 0) {
    auto calls = static_cast<double>(rate->calls);
    weight.calls = rate->calls;
    weight.bytes = size * rate->calls;
    weight.calls_variance = calls * (calls - 1);
    weight.bytes_variance = wide * wide * weight.calls_variance;
  } else if (rate->bytes > 0) {
    // No bytes count as one: so does the runtime.
    double chance = -std::expm1(-std::max(wide, 1.0) / static_cast<double>(rate->bytes));
    double calls = 1 / chance;
    uint64_t random = mixed(mixed(address) + time);
    weight.calls = rounded(calls, random);
    weight.bytes = rounded(wide * calls, mixed(random + 1));
    double of_chance = (1 - chance) * calls * calls;
    double part = calls - std::floor(calls);
    weight.calls_variance = of_chance + part * (1 - part);
    weight.bytes_variance = wide * wide * of_chance;
  }
  weight.sampled = weight.calls_variance > 0;
  return weight;
}

}  // namespace heapledger
