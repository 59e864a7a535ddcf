#include "replay/figures.h"

#include <algorithm>
#include <functional>
#include <thread>

#include "replay/compare_words.h"

namespace heapledger {
namespace {

using results::Results;
using PlainPlays = std::vector<std::unique_ptr<Results>>;

// What the player itself takes, with an allocator that does nothing.
struct Own {
  double busy_ns = 0;
  double wall_ns = 0;
  double faults = 0;
  double baseline = 0;
  double clock_ns = 0;
  uint32_t clock_step = 1;  // ticks
  double clock_step_ns = 0;
};

Measured each(const PlainPlays& plays, const std::function<double(const Results&)>& figure) {
  std::vector<double> rounds;
  rounds.reserve(plays.size());
  for (const auto& play : plays) rounds.push_back(figure(*play));
  return measured_from(std::move(rounds));
}

double wall_ns(const Results& play) {
  return static_cast<double>(play.wall_ticks) * play.ns_per_tick;
}
double faults(const Results& play) {
  return static_cast<double>(play.minor_faults + play.major_faults);
}

double baseline(const Results& play) {
  return static_cast<double>(play.baseline_bytes);
}

Own own_of(const Rounds& rounds) {
  Own own;
  own.busy_ns = rounds.median_busy_ns();
  own.wall_ns = each(rounds.plain, wall_ns).median;
  own.faults = each(rounds.plain, faults).median;
  own.baseline = each(rounds.plain, baseline).median;
  if (rounds.latency.count() != 0) {
    own.clock_step = rounds.latency.clock_step();
    const double ns_per_tick = median_of(rounds.latency_ns_per_tick);
    own.clock_ns = rounds.latency.quantile(0.5, own.clock_step) * ns_per_tick;
    own.clock_step_ns = own.clock_step * ns_per_tick;
  }
  return own;
}

// Time that all calls together kept the program waiting: with several threads, the end of the last
// one came later by this. Never less than if all of them had been busy all the time.
double held_up_ns(const Results& play, const Own& own, double time_ns) {
  if (play.most_lanes <= 1) return time_ns;
  const auto processors = std::max(1u, std::thread::hardware_concurrency());
  return std::max(wall_ns(play) - own.wall_ns, time_ns / std::min(play.most_lanes, processors));
}

Latency latency_of(const Rounds& rounds, const Own& own) {
  if (rounds.latency.count() == 0) return {};
  const double ns_per_tick = median_of(rounds.latency_ns_per_tick);
  const auto less_clock = [&](double ticks) {
    return std::max(0.0, ticks * ns_per_tick - own.clock_ns);
  };
  const LatencySum& sum = rounds.latency;
  const auto part = [&](double wanted) { return less_clock(sum.quantile(wanted, own.clock_step)); };
  return {part(0.5), part(0.99), part(0.999), less_clock(static_cast<double>(sum.worst()))};
}

// What the allocator took before the first call, when it was loaded.
double at_start(const Results& play, const Own& own) {
  return std::max(0.0, baseline(play) - own.baseline);
}

std::vector<RssPoint> rss_of(const Schedule& schedule, const PlainPlays& plays, const Own& own) {
  std::vector<RssPoint> points;
  for (size_t i = 0; i < schedule.phases.size() && i < schedule::kMaxPhases; ++i) {
    const schedule::Phase& phase = schedule.phases[i];
    std::vector<double> sampled;
    for (const auto& play : plays) {
      const uint64_t bytes = play->phases[i].rss_bytes;
      if (bytes != 0) sampled.push_back(static_cast<double>(bytes) + at_start(*play, own));
    }
    points.push_back({phase.calls, phase.time_ns, phase.live_bytes,
                      static_cast<uint64_t>(median_of(std::move(sampled)))});
  }
  return points;
}

double fragmentation(const RssPoint& point) {
  if (point.live_bytes == 0) return 0;
  return static_cast<double>(point.rss_bytes) / static_cast<double>(point.live_bytes);
}

void fill_memory(const Schedule& schedule, const PlainPlays& plays, const Own& own,
                 CandidateFigures& figures) {
  figures.peak_rss = each(plays, [&](const Results& play) {
    return static_cast<double>(play.peak_rss_bytes) + at_start(play, own);
  });
  figures.end_rss = each(plays, [&](const Results& play) {
    return static_cast<double>(play.end_rss_bytes) + at_start(play, own);
  });
  figures.page_faults =
      each(plays, [&](const Results& play) { return std::max(0.0, faults(play) - own.faults); });
  figures.rss = rss_of(schedule, plays, own);
  for (size_t i = 0; i < figures.rss.size(); ++i) {
    if (schedule.phases[i].is_peak != 0) {
      figures.fragmentation_at_peak = fragmentation(figures.rss[i]);
    }
  }
  if (figures.rss.empty()) return;
  figures.end_live_bytes = figures.rss.back().live_bytes;
  figures.fragmentation_at_end = fragmentation(figures.rss.back());
}

void fill(const Schedule& schedule, const Rounds& rounds, const Own& own,
          CandidateFigures& figures) {
  const PlainPlays& plays = rounds.plain;
  const auto time_ns = [&](const Results& play) {
    return std::max(0.0, busy_ns(play) - own.busy_ns);
  };
  const auto calls = [](const Results& play) {
    return static_cast<double>(std::max<uint64_t>(play.calls, 1));
  };
  figures.time_ns = each(plays, time_ns);
  figures.ns_per_call =
      each(plays, [&](const Results& play) { return time_ns(play) / calls(play); });
  figures.calls_per_second = each(plays, [&](const Results& play) {
    const double held_up = held_up_ns(play, own, time_ns(play));
    return held_up > 0 ? calls(play) / held_up * 1e9 : 0.0;
  });
  fill_memory(schedule, plays, own, figures);
  figures.latency = latency_of(rounds, own);
  figures.system_calls = rounds.system_calls;
  figures.why_not_counted = rounds.why_not_counted;
  if (!plays.empty()) figures.emulated = plays.front()->emulated;
}

}  // namespace

double busy_ns(const Results& play) {
  return static_cast<double>(play.busy_ticks) * play.ns_per_tick;
}

double Rounds::median_busy_ns() const {
  return each(plain, busy_ns).median;
}

Comparison compare_rounds(const Schedule& schedule, const std::vector<Candidate>& candidates,
                          const std::vector<Rounds>& rounds,
                          const std::vector<std::string>& failures, size_t baseline) {
  const Own own = own_of(rounds[0]);
  Comparison comparison;
  comparison.calls = schedule.header.calls;
  comparison.lanes = schedule.header.lanes;
  comparison.rounds = rounds[0].plain.size();
  comparison.own_ns_per_call =
      own.busy_ns / static_cast<double>(std::max<uint64_t>(comparison.calls, 1));
  comparison.clock_ns = own.clock_ns;
  comparison.clock_step_ns = own.clock_step_ns;
  for (size_t i = 0; i < candidates.size(); ++i) {
    CandidateFigures figures;
    figures.candidate = candidates[i];
    figures.failed = !failures[i + 1].empty();
    figures.failure = failures[i + 1];
    if (!figures.failed) fill(schedule, rounds[i + 1], own, figures);
    for (const auto& play : rounds[i + 1].plain) {
      comparison.busy_is_cpu = comparison.busy_is_cpu || play->busy_is_cpu != 0;
    }
    comparison.candidates.push_back(std::move(figures));
  }
  comparison.baseline = baseline;
  for (size_t i = 0; i < candidates.size() && comparison.candidates[comparison.baseline].failed;
       ++i) {
    if (!comparison.candidates[i].failed) comparison.baseline = i;
  }
  CandidateFigures& base = comparison.candidates[comparison.baseline];
  base.is_baseline = true;
  for (CandidateFigures& figures : comparison.candidates) {
    if (figures.failed || base.failed) continue;
    figures.time = ratio_of(figures.time_ns, base.time_ns);
    figures.peak = ratio_of(figures.peak_rss, base.peak_rss);
  }
  write_verdicts(comparison, baseline);
  return comparison;
}

}  // namespace heapledger
