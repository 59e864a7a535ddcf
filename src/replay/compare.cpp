#include "replay/compare.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>

#include "analyzer/error.h"
#include "replay/compare_words.h"
#include "replay/figures.h"
#include "text/text.h"

namespace heapledger {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kFewSeconds = 8;  // for CompareOptions::most_rounds

const Candidate& nothing() {
  static const Candidate kNothing{"the player itself", "null", {}};
  return kNothing;
}

// Plays one after the other, with a limit that follows from how long others took.
class Plays {
 public:
  Plays(const Schedule& schedule, const CompareOptions& options, uint64_t total)
      : schedule_(schedule), options_(options), total_(total) {}

  Played one(const Candidate& candidate, PlayOptions play_options) {
    if (options_.progress) options_.progress(done_, std::max(total_, done_), candidate.name);
    play_options.limit_seconds = play_limit(schedule_, options_, longest_, play_options.check);
    const auto begin = Clock::now();
    Played played = play(schedule_, candidate, play_options);
    const std::chrono::duration<double> took = Clock::now() - begin;
    if (played.done()) longest_ = std::max(longest_, took.count());
    ++done_;
    return played;
  }

  void expect_more(uint64_t plays) { total_ += plays; }
  // So many will not take place.
  void leave_out(uint64_t plays) { total_ -= std::min(plays, total_); }
  void finish() const {
    if (options_.progress) options_.progress(total_, total_, "");
  }

 private:
  const Schedule& schedule_;
  const CompareOptions& options_;
  uint64_t total_;
  uint64_t done_ = 0;
  double longest_ = 0;
};

class Comparer {
 public:
  Comparer(const Schedule& schedule, const std::vector<Candidate>& candidates,
           const CompareOptions& options)
      : schedule_(schedule),
        options_(options),
        rounds_(std::max<size_t>(options.rounds, 1)),
        plays_(schedule, options,
               rounds_ * (candidates.size() + 1) * kinds() +
                   (options.system_calls ? candidates.size() : 0)),
        candidates_(candidates),
        rounds_of_(candidates.size() + 1),
        failures_(candidates.size() + 1) {}

  void run() {
    const auto begin = Clock::now();
    std::vector<size_t> order(rounds_of_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::minstd_rand random;  // the same every time
    for (size_t round = 0; round < rounds_; ++round) {
      if (round == 1) choose_rounds(std::chrono::duration<double>(Clock::now() - begin).count());
      std::shuffle(order.begin(), order.end(), random);
      for (size_t who : order) {
        if (failures_[who].empty()) play_round(who, round);
      }
    }
    if (options_.system_calls) count_system_calls();
    plays_.finish();
  }

  Comparison result(size_t baseline) const {
    return compare_rounds(schedule_, candidates_, rounds_of_, failures_, baseline);
  }

 private:
  size_t kinds() const { return options_.latencies ? 2 : 1; }

  void choose_rounds(double first_took) {
    while (rounds_ < options_.most_rounds &&
           static_cast<double>(rounds_ + 1) * first_took < kFewSeconds) {
      ++rounds_;
      for (const std::string& failure : failures_) {
        if (failure.empty()) plays_.expect_more(kinds());
      }
    }
  }

  // The first is the player with an allocator that does nothing.
  const Candidate& candidate(size_t who) const {
    return who == 0 ? nothing() : candidates_[who - 1];
  }

  void play_round(size_t who, size_t round) {
    PlayOptions play_options = options_.play;
    play_options.latency = false;
    play_options.count_system_calls = false;
    Played plain = plays_.one(candidate(who), play_options);
    const uint64_t left = (rounds_ - round - 1) * kinds() + (options_.system_calls ? 1 : 0);
    if (!kept(who, plain)) {
      plays_.leave_out(left + kinds() - 1);
      return;
    }
    rounds_of_[who].plain.push_back(std::move(plain.results));
    if (!options_.latencies) return;
    play_options.latency = true;
    const Played timed = plays_.one(candidate(who), play_options);
    if (kept(who, timed)) {
      rounds_of_[who].add_latency(*timed.results);
    } else {
      plays_.leave_out(left);
    }
  }

  bool kept(size_t who, const Played& played) {
    if (played.done()) return true;
    if (who == 0) {
      throw Error(
          "The replay cannot be measured: the player, with an allocator that does "
          "nothing, " +
              played.what + ".",
          ErrorKind::kSystem);
    }
    failures_[who] = played.what.empty() ? "failed" : played.what;
    rounds_of_[who].plain.clear();
    return false;
  }

  void count_system_calls() {
    for (size_t who = 1; who < rounds_of_.size(); ++who) {
      if (!failures_[who].empty()) continue;
      PlayOptions play_options = options_.play;
      play_options.count_system_calls = true;
      Played played = plays_.one(candidate(who), play_options);
      // Being traced is not being used: what goes wrong only then is no fault of the allocator.
      rounds_of_[who].system_calls = std::move(played.system_calls);
      rounds_of_[who].why_not_counted = played.done() || !played.why_not_counted.empty()
                                            ? std::move(played.why_not_counted)
                                            : "while it was traced, it " + played.what;
    }
  }

  const Schedule& schedule_;
  const CompareOptions& options_;
  size_t rounds_;
  Plays plays_;
  const std::vector<Candidate>& candidates_;
  std::vector<Rounds> rounds_of_;
  std::vector<std::string> failures_;
};

// What live bytes are not as in the ledger; empty: all are.
std::string wrong_phase(const Schedule& schedule, const results::Results& results) {
  for (size_t i = 0; i < schedule.phases.size() && i < schedule::kMaxPhases; ++i) {
    const schedule::Phase& wanted = schedule.phases[i];
    const results::PhaseResult& got = results.phases[i];
    if (got.arrived == wanted.lanes && got.live_bytes == static_cast<int64_t>(wanted.live_bytes)) {
      continue;
    }
    return "live bytes after phase " + std::to_string(i + 1) + " of " +
           std::to_string(schedule.phases.size()) + " are " + std::to_string(got.live_bytes) +
           ", in the ledger " + std::to_string(wanted.live_bytes);
  }
  return {};
}

}  // namespace

double play_limit(const Schedule& schedule, const CompareOptions& options, double longest,
                  bool check) {
  if (options.limit_seconds > 0) return options.limit_seconds;
  const auto bytes = static_cast<double>(schedule.allocated_bytes);
  double limit = 30 + 20 * longest + static_cast<double>(schedule.header.calls) * 2e-6;
  limit += bytes / 4096 * 2e-6;      // all pages touched
  if (check) limit += bytes / 50e6;  // written and read
  if (options.play.real_time) limit += static_cast<double>(schedule.header.duration_ns) * 2e-9;
  return limit;
}

Comparison compare(const Schedule& schedule, const std::vector<Candidate>& candidates,
                   size_t baseline, const CompareOptions& options) {
  if (candidates.empty())
    throw Error("There is no allocator to replay with.", ErrorKind::kQuestion);
  Comparer comparer(schedule, candidates, options);
  comparer.run();
  return comparer.result(std::min(baseline, candidates.size() - 1));
}

std::vector<CandidateFigures> check_candidates(const Schedule& schedule,
                                               const std::vector<Candidate>& candidates,
                                               const CompareOptions& options) {
  Plays plays(schedule, options, candidates.size());
  std::vector<CandidateFigures> checked;
  for (const Candidate& candidate : candidates) {
    PlayOptions play_options = options.play;
    play_options.check = true;
    play_options.latency = false;
    play_options.count_system_calls = false;
    const Played played = plays.one(candidate, play_options);
    CandidateFigures figures;
    figures.candidate = candidate;
    figures.failure = played.what;
    if (played.done()) {
      figures.failure = wrong_phase(schedule, *played.results);
      if (figures.failure.empty() && played.results->calls != schedule.header.calls) {
        figures.failure = counted(played.results->calls, "call") + " were made, not " +
                          with_commas(schedule.header.calls);
      }
      figures.emulated = played.results->emulated;
    }
    figures.failed = !played.done() || !figures.failure.empty();
    figures.undecided = played.how == Played::How::kNoMemory || played.how == Played::How::kHung;
    figures.verdict = escaped(candidate.name) + ": " +
                      (figures.failed ? figures.failure
                                      : "every block kept what was written to it, and live bytes "
                                        "are those of the ledger after every phase");
    checked.push_back(std::move(figures));
  }
  plays.finish();
  return checked;
}

}  // namespace heapledger
