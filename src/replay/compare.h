// Allocators compared on one schedule: rounds of plays, interleaved, and what they add up to. Every
// figure that a replay shows is computed here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "replay/play.h"

namespace heapledger {

// A figure of several rounds.
struct Measured {
  double median = 0;
  double least = 0;
  double most = 0;
  std::vector<double> rounds;
};

// How a figure compares with that of the baseline, from pairs of the same round: 0.88 is 12 % less.
// The true ratio is between `low` and `high` with a probability of 95 % (Student's t on the
// logarithms of the pairs); with one round nobody knows, and `known` is false.
struct Ratio {
  double ratio = 1;
  double low = 0;
  double high = 0;
  bool known = false;
  bool defined = true;  // there is something to compare with; if not, `ratio` means nothing

  bool differs() const { return known && (high < 1 || low > 1); }
};

// Latency of single calls, less what the clock costs; nanoseconds, of all rounds together.
struct Latency {
  double p50 = 0;
  double p99 = 0;
  double p999 = 0;
  double worst = 0;
};

// At one phase of the schedule, median of the rounds.
struct RssPoint {
  uint64_t calls = 0;       // so far
  uint64_t time_ns = 0;     // of the recording
  uint64_t live_bytes = 0;  // of the recording
  uint64_t rss_bytes = 0;   // of the heap in the replay
};

struct CandidateFigures {
  Candidate candidate;
  bool is_baseline = false;
  bool failed = false;
  std::string failure;  // what happened; rounds before it are not used

  Measured time_ns;  // in the allocator, the page faults of its blocks included; all calls
  Measured ns_per_call;
  Measured calls_per_second;  // of the whole program: calls by time_ns; with several threads, by
                              // wall time less that of the player with an allocator that does
                              // nothing, or by time_ns shared among all threads if that is more
  Measured peak_rss;  // of the heap, what the allocator took when it was loaded included; likewise
                      // below
  Measured end_rss;
  Measured page_faults;
  Latency latency;
  std::vector<RssPoint> rss;
  double fragmentation_at_peak = 0;  // resident memory of the heap by live bytes, at the live peak
  double fragmentation_at_end = 0;   // 0: nothing is live then
  uint64_t end_live_bytes = 0;
  std::optional<SystemCalls> system_calls;
  std::string why_not_counted;
  uint64_t emulated = 0;   // calls of functions it does not have, made of others
  bool undecided = false;  // of check_candidates: it failed for want of memory or of time, which
                           // says nothing about its blocks

  Ratio time;  // to the baseline
  Ratio peak;
  std::string verdict;  // a sentence for people
};

struct Comparison {
  std::vector<CandidateFigures> candidates;  // as they were given
  size_t baseline = 0;
  uint64_t calls = 0;
  uint64_t lanes = 0;
  uint64_t rounds = 0;
  double own_ns_per_call = 0;  // of the player, measured with an allocator that does nothing, and
                               // subtracted from all times
  double clock_step_ns = 0;    // the clock goes in such steps: less cannot be told of one call
  double clock_ns = 0;         // of timing one call, likewise
  bool busy_is_cpu = false;    // times are processor time: see results.h
  std::string verdict;         // which one is best, for people, with its uncertainty
};

struct CompareOptions {
  size_t rounds = 5;
  // More than that, up to so many, when all of them take no longer than a few seconds; how many is
  // decided by the first round, never by the figures.
  size_t most_rounds = 0;
  PlayOptions play;
  bool latencies = true;
  bool system_calls = true;
  double limit_seconds = 0;  // for one play; 0: chosen from how long others took
  // Called before each play: plays that are done, all of them, and whose turn it is.
  std::function<void(uint64_t done, uint64_t total, const std::string& name)> progress;
};

// candidates[baseline] is what the others are compared with. Throws Error only when nothing could
// be played at all.
Comparison compare(const Schedule& schedule, const std::vector<Candidate>& candidates,
                   size_t baseline, const CompareOptions& options);

// Every candidate once, with every block filled and verified, and live bytes after each phase
// compared with the ledger's. `failed` and `failure` say what was found.
std::vector<CandidateFigures> check_candidates(const Schedule& schedule,
                                               const std::vector<Candidate>& candidates,
                                               const CompareOptions& options);

// Seconds after which one play is taken to hang, where the longest so far took `longest`: those of
// the options, or what follows from the schedule. With `check`, blocks are filled and verified.
double play_limit(const Schedule& schedule, const CompareOptions& options, double longest,
                  bool check);

// The ratio of two figures from their rounds.
Ratio ratio_of(const Measured& figure, const Measured& baseline);

}  // namespace heapledger
