#include "analyzer/clock.h"

namespace heapledger {
namespace {

using Wide = unsigned __int128;

// What a tick may be in reality: from 100 GHz to 1 kHz.
constexpr uint64_t kMaxTicksPerNs = 100;
constexpr uint64_t kMaxNsPerTick = 1'000'000;

uint64_t saturate(Wide value) {
  return value > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(value);
}

}  // namespace

LedgerClock::LedgerClock(const format::FileHeader& header)
    : start_(header.start), shift_(header.time_shift) {
  // A machine's tick counter and CLOCK_MONOTONIC both start at its boot, so one pair alone is
  // already a fair estimate.
  set_rate(start_.monotonic_ns, start_.ticks);
  for (const format::ClockPair& pair : header.latest) learn(pair.ticks, pair.monotonic_ns);
}

void LedgerClock::learn(uint64_t ticks, uint64_t monotonic_ns) {
  if (ticks <= start_.ticks || monotonic_ns <= start_.monotonic_ns) return;
  if (ticks <= newest_ticks_) return;
  newest_ticks_ = ticks;
  set_rate(monotonic_ns - start_.monotonic_ns, ticks - start_.ticks);
}

void LedgerClock::set_rate(uint64_t ns, uint64_t ticks) {
  if (Wide{ns} * kMaxTicksPerNs < ticks || Wide{ticks} * kMaxNsPerTick < ns) return;
  if (ns == 0 || ticks == 0) return;
  ns_ = ns;
  ticks_ = ticks;
}

uint64_t LedgerClock::units_in_ns(uint64_t ns) const {
  return saturate(Wide{ns} * ticks_ / ns_ >> shift_);
}

uint64_t LedgerClock::ns_since_start(uint64_t units) const {
  Wide ticks = Wide{units} << shift_;
  if (ticks <= start_.ticks) return 0;
  return saturate((Wide{saturate(ticks - start_.ticks)} * ns_ + ticks_ / 2) / ticks_);
}

uint64_t LedgerClock::wall_ns(uint64_t units) const {
  return saturate(Wide{start_.realtime_ns} + ns_since_start(units));
}

uint64_t LedgerClock::units_at_wall(uint64_t ns) const {
  if (ns < start_.realtime_ns) return 0;
  // ns_since_start() turned around: the most ticks that are rounded to no more than `left`.
  Wide left = ns - start_.realtime_ns;
  Wide ticks = ((left + 1) * ticks_ - ticks_ / 2 - 1) / ns_;
  return saturate((start_.ticks + ticks) >> shift_);
}

}  // namespace heapledger
