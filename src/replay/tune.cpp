#include "replay/tune.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>

#include "replay/compare_choice.h"
#include "replay/tune_words.h"

namespace heapledger {
namespace {

constexpr size_t kFewRounds = 3;      // of each setting, and when there is time enough
constexpr size_t kMoreRounds = 7;     // up to so many
constexpr size_t kMostRounds = 11;    // of those that are proposed
constexpr size_t kAtOnce = 4;         // settings that are compared with the defaults together
constexpr size_t kMostJoined = 4;     // settings in one proposal
constexpr double kWorthIt = 0.98;     // nobody sets a variable for less than 2 %
constexpr double kForTheRest = 0.35;  // of the time: to join settings, and to be sure of them

// Time counts as much as memory. A gain counts when it is more than chance; a cost always does.
double score(const Ratio& time, const Ratio& peak) {
  const auto part = [](const Ratio& ratio) {
    return is_less(ratio) ? ratio.ratio : std::max(ratio.ratio, 1.0);
  };
  return part(time) * part(peak);
}
double score(const CandidateFigures& figures) {
  return figures.failed ? HUGE_VAL : score(figures.time, figures.peak);
}

// Settings of other versions are not worth a play: the library would have to hold their names.
std::vector<Setting> known_settings(const Candidate& candidate, const Schedule& schedule) {
  std::vector<Setting> settings = settings_for(candidate.name);
  if (settings.empty()) settings = settings_for(candidate.library);
  if (schedule.header.lanes <= 1) {
    std::erase_if(settings, [](const Setting& setting) {
      return setting.name == "glibc.malloc.arena_max" || setting.name == "narenas";
    });
  }
  std::ifstream file(candidate.library, std::ios::binary);
  const std::string library{std::istreambuf_iterator<char>(file), {}};
  if (library.empty()) return settings;
  std::erase_if(settings, [&](const Setting& setting) {
    std::string name = setting.name.empty() ? setting.variable : setting.name;
    if (name.starts_with("MIMALLOC_")) {
      name = name.substr(9);
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    }
    return library.find(name) == std::string::npos;
  });
  return settings;
}

bool same_setting(const Setting& one, const Setting& other) {
  return one.variable == other.variable && one.name == other.name;
}

class Tuner {
 public:
  Tuner(const Schedule& schedule, const Candidate& candidate, const TuneOptions& options)
      : schedule_(schedule), candidate_(candidate), options_(options) {
    tuned_.allocator = candidate.name;
  }

  Tuned run() {
    const std::vector<Setting> settings = known_settings(candidate_, schedule_);
    tuned_.tried.emplace_back();
    tuned_.settings.emplace_back();
    // Once as it is, to see how long that takes.
    if (keep_all({}, compare_with({}, 1)) && !settings.empty()) {
      choose_rounds(settings.size());
      try_singles(settings);
      join(settings_that_help());
      confirm();
    }
    choose();
    if (options_.compare.progress) options_.compare.progress(done_, done_, "");
    tuned_.verdict = tuning_in_words(tuned_);
    return std::move(tuned_);
  }

 private:
  using Proposal = std::vector<Setting>;

  static uint64_t plays_of(size_t proposals, size_t rounds) { return (proposals + 2) * rounds; }
  static size_t batches_of(size_t settings) { return (settings + kAtOnce - 1) / kAtOnce; }
  size_t final_rounds() const { return std::max<size_t>(options_.compare.rounds, 5); }

  // All that is to come, when each setting is played so often.
  uint64_t all_plays(size_t settings, size_t rounds) const {
    return batches_of(settings) * plays_of(kAtOnce, rounds) + 2 * plays_of(2, rounds) +
           plays_of(3, final_rounds());
  }

  void choose_rounds(size_t settings) {
    while (rounds_ < kMoreRounds && has_time(all_plays(settings, rounds_ + 1), 0.6)) ++rounds_;
    expected_ = done_ + all_plays(settings, rounds_);
  }

  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  // Time for so many plays, as long as those before, is left.
  bool has_time(uint64_t plays, double part_of_all) const {
    const double each = done_ == 0 ? 0 : elapsed() / static_cast<double>(done_);
    return elapsed() + each * static_cast<double>(plays) <= options_.limit_seconds * part_of_all;
  }

  // The allocator as it is, and with each of the proposals.
  Comparison compare_with(const std::vector<Proposal>& proposals, size_t rounds) {
    std::vector<Candidate> candidates = {candidate_};
    for (const Proposal& proposal : proposals) {
      Candidate candidate = candidate_;
      candidate.name += " " + settings_in_words(proposal);
      for (auto& variable : environment_of(proposal)) {
        candidate.environment.push_back(std::move(variable));
      }
      candidates.push_back(std::move(candidate));
    }
    CompareOptions options = options_.compare;
    options.rounds = rounds;
    options.latencies = false;
    options.system_calls = false;
    const uint64_t before = done_;
    options.progress = [&](uint64_t done, uint64_t, const std::string& name) {
      done_ = before + done;
      if (options_.compare.progress && !name.empty()) {
        options_.compare.progress(done_, std::max(expected_, done_ + 1), name);
      }
    };
    return compare(schedule_, candidates, 0, options);
  }

  // New figures of a proposal: they take the place of those it had.
  void keep(const Proposal& proposal, const CandidateFigures& figures) {
    const std::string words = settings_in_words(proposal);
    for (size_t i = 0; i < tuned_.tried.size(); ++i) {
      if (settings_in_words(tuned_.settings[i]) != words) continue;
      tuned_.tried[i] = figures;
      return;
    }
    tuned_.tried.push_back(figures);
    tuned_.settings.push_back(proposal);
  }

  // False: the allocator cannot be played as it is.
  bool keep_all(const std::vector<Proposal>& proposals, const Comparison& comparison) {
    keep({}, comparison.candidates[0]);
    if (comparison.candidates[0].failed) return false;
    for (size_t i = 0; i < proposals.size(); ++i) keep(proposals[i], comparison.candidates[i + 1]);
    return true;
  }

  void try_singles(const std::vector<Setting>& settings) {
    for (size_t at = 0; at < settings.size();) {
      size_t count = std::min(kAtOnce, settings.size() - at);
      while (count > 1 && !has_time(plays_of(count, rounds_), 1 - kForTheRest)) --count;
      if (!has_time(plays_of(count, rounds_), 1 - kForTheRest)) {
        tuned_.out_of_time = true;
        return;
      }
      std::vector<Proposal> proposals;
      for (size_t i = 0; i < count; ++i) proposals.push_back({settings[at + i]});
      if (!keep_all(proposals, compare_with(proposals, rounds_))) return;
      at += count;
    }
  }

  // The best value of each setting that has one, the best first.
  Proposal settings_that_help() const {
    std::vector<size_t> order;
    for (size_t i = 1; i < tuned_.tried.size(); ++i) {
      if (score(tuned_.tried[i]) < kWorthIt) order.push_back(i);
    }
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return score(tuned_.tried[a]) < score(tuned_.tried[b]); });
    Proposal helpful;
    for (size_t i : order) {
      const Setting& setting = tuned_.settings[i][0];
      const bool taken = std::any_of(helpful.begin(), helpful.end(), [&](const Setting& other) {
        return same_setting(setting, other);
      });
      if (!taken && helpful.size() < kMostJoined) helpful.push_back(setting);
    }
    return helpful;
  }

  // One more setting at a time, for as long as that is better than without it.
  void join(const Proposal& helpful) {
    if (helpful.empty()) return;
    best_ = {helpful[0]};
    for (size_t i = 1; i < helpful.size(); ++i) {
      const uint64_t plays = plays_of(2, rounds_) + plays_of(3, final_rounds());
      if (!has_time(plays, 1)) {
        tuned_.out_of_time = true;
        return;
      }
      Proposal more = best_;
      more.push_back(helpful[i]);
      const std::vector<Proposal> proposals = {best_, more};
      const Comparison comparison = compare_with(proposals, rounds_);
      if (!keep_all(proposals, comparison)) return;
      const CandidateFigures& without = comparison.candidates[1];
      const CandidateFigures& with = comparison.candidates[2];
      if (without.failed || with.failed) continue;
      if (score(ratio_of(with.time_ns, without.time_ns),
                ratio_of(with.peak_rss, without.peak_rss)) < kWorthIt) {
        best_ = more;
      }
    }
  }

  // Of many that are tried, some look good by chance: those are played again, more often.
  void confirm() {
    choose();
    std::vector<Proposal> proposals;
    if (!best_.empty()) proposals.push_back(best_);
    for (size_t i : {tuned_.fastest, tuned_.smallest}) {
      const std::string words = settings_in_words(tuned_.settings[i]);
      const bool there = std::any_of(
          proposals.begin(), proposals.end(),
          [&](const Proposal& proposal) { return settings_in_words(proposal) == words; });
      if (i != 0 && !there) proposals.push_back(tuned_.settings[i]);
    }
    if (proposals.empty()) return;
    size_t rounds = std::max(final_rounds(), kMostRounds);
    while (rounds > kFewRounds && !has_time(plays_of(proposals.size(), rounds), 1)) --rounds;
    if (rounds < final_rounds()) tuned_.out_of_time = true;
    confirmed_ = proposals;
    keep_all(proposals, compare_with(proposals, rounds));
  }

  void choose() {
    const auto allowed = [&](size_t i) {
      return confirmed_.empty() ||
             std::any_of(confirmed_.begin(), confirmed_.end(), [&](const Proposal& proposal) {
               return settings_in_words(proposal) == settings_in_words(tuned_.settings[i]);
             });
    };
    const auto least = [&](auto value) {
      size_t best = 0;
      for (size_t i = 1; i < tuned_.tried.size(); ++i) {
        if (tuned_.tried[i].failed || !allowed(i)) continue;
        if (value(tuned_.tried[i]) < (best == 0 ? kWorthIt : value(tuned_.tried[best]))) best = i;
      }
      return best;
    };
    tuned_.fastest = least([](const CandidateFigures& figures) {
      return is_less(figures.time) ? figures.time.ratio : 1.0;
    });
    tuned_.smallest = least([](const CandidateFigures& figures) {
      return is_less(figures.peak) ? figures.peak.ratio : 1.0;
    });
    tuned_.best = least([](const CandidateFigures& figures) { return score(figures); });
  }

  const Schedule& schedule_;
  const Candidate& candidate_;
  const TuneOptions& options_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  uint64_t done_ = 0;
  uint64_t expected_ = 0;
  size_t rounds_ = kFewRounds;
  Proposal best_;
  std::vector<Proposal> confirmed_;
  Tuned tuned_;
};

}  // namespace

Tuned tune(const Schedule& schedule, const Candidate& candidate, const TuneOptions& options) {
  return Tuner(schedule, candidate, options).run();
}

}  // namespace heapledger
