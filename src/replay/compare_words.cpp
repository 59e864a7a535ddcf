#include "replay/compare_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "replay/statistics.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr double kWorthAWord = 0.005;

// Without decimals from 10 on.
std::string plain(double number) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.*f", number < 9.95 ? 1 : 0, number);
  return text.data();
}

// Percent of the baseline's figure; of the figure itself where that is told as a multiple.
double half_width(const Ratio& ratio) {
  const double half = (ratio.high - ratio.low) / 2 * 100;
  return ratio.ratio >= 2 ? half / ratio.ratio : half;
}

// An uncertainty has one digit that matters. Nothing is known to more than a tenth of a percent.
std::string give_or_take(double half) {
  half = std::max(half, 0.1);
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "± %.*f %%", half < 0.95 ? 1 : 0, half);
  return text.data();
}

// 31 % less time; 2.4 times the time
std::string change(double ratio, const std::string& what) {
  if (ratio >= 2) return plain(ratio) + " times the " + what;
  const double percent = std::abs(1 - ratio) * 100;
  return plain(percent) + " % " + (ratio < 1 ? "less " : "more ") + what;
}

std::string part_of(const Ratio& ratio, const std::string& noun, const std::string& what,
                    bool own_uncertainty) {
  if (!ratio.known) {
    if (std::abs(1 - ratio.ratio) < kWorthAWord) return "about the same " + what;
    return "about " + change(ratio.ratio, what);
  }
  if (!is_less(ratio) && !is_more(ratio)) {
    if (half_width(ratio) < 100 * kWorthAWord) return "the same " + what;
    return "no difference in " + noun + " that can be told (" + uncertainty_in_words(ratio) + ")";
  }
  std::string text = change(ratio.ratio, what);
  if (own_uncertainty) text += " (" + uncertainty_in_words(ratio) + ")";
  return text;
}

bool about_equal(double one, double other) {
  const double more = std::max(one, other);
  return more - std::min(one, other) <= std::max(1.01, more / 3);
}

// The one with the least of a figure that has clearly less of it than the baseline.
template <typename Get>
std::optional<size_t> least(const Comparison& comparison, Get get) {
  std::optional<size_t> best;
  for (size_t i = 0; i < comparison.candidates.size(); ++i) {
    const CandidateFigures& figures = comparison.candidates[i];
    if (figures.failed || figures.is_baseline || !is_less(get(figures))) continue;
    if (!best || get(figures).ratio < get(comparison.candidates[*best]).ratio) best = i;
  }
  return best;
}

std::string named(const CandidateFigures& figures) {
  return escaped(figures.candidate.name);
}

std::string nothing_better(const Comparison& comparison, const std::string& baseline) {
  double time = 0;
  double peak = 0;
  size_t others = 0;
  bool known = true;
  for (const CandidateFigures& figures : comparison.candidates) {
    if (figures.failed || figures.is_baseline) continue;
    ++others;
    known = known && figures.time.known;
    time = std::max(time, half_width(figures.time));
    peak = std::max(peak, half_width(figures.peak));
  }
  if (others == 0) return "There is nothing to compare " + baseline + " with.";
  if (!known) {
    return "Which one is best cannot be told from one round, or from so little time in malloc: "
           "ask for more rounds.";
  }
  return "Nothing is better than " + baseline + " for this program by more than can be told (" +
         give_or_take(time) + " in time, " + give_or_take(peak) + " in peak memory).";
}

// Others that are not clearly slower than the fastest.
std::string not_slower(const Comparison& comparison, size_t fastest) {
  std::string names;
  for (size_t i = 0; i < comparison.candidates.size(); ++i) {
    const CandidateFigures& figures = comparison.candidates[i];
    if (i == fastest || figures.failed || figures.is_baseline || !is_less(figures.time)) continue;
    const Ratio ratio = ratio_of(figures.time_ns, comparison.candidates[fastest].time_ns);
    if (is_more(ratio)) continue;
    names += (names.empty() ? "" : ", ") + named(figures);
  }
  return names.empty() ? names : " No difference in time to it can be told of " + names + ".";
}

std::string best_of(const Comparison& comparison, const std::string& baseline) {
  const auto fastest =
      least(comparison, [](const CandidateFigures& figures) { return figures.time; });
  const auto smallest =
      least(comparison, [](const CandidateFigures& figures) { return figures.peak; });
  if (!fastest && !smallest) return nothing_better(comparison, baseline);
  const CandidateFigures& best = comparison.candidates[fastest ? *fastest : *smallest];
  const std::string words = difference_in_words(best.time, best.peak);
  std::string text;
  if (!fastest) {
    text = named(best) + " needs the least memory: " + words + ", compared with " + baseline +
           "; that another one takes less time cannot be told.";
  } else if (smallest && *smallest != *fastest && is_more(best.peak)) {
    const CandidateFigures& other = comparison.candidates[*smallest];
    text = named(best) + " takes the least time: " + words + ", compared with " + baseline + ". " +
           named(other) +
           " needs the least memory: " + difference_in_words(other.time, other.peak) + ".";
  } else {
    text =
        named(best) + " is best for this program: " + words + ", compared with " + baseline + ".";
    if (smallest && *smallest != *fastest) {
      const CandidateFigures& other = comparison.candidates[*smallest];
      text += " Least memory: " + named(other) + ", " +
              difference_in_words(other.time, other.peak) + ".";
    }
  }
  return fastest ? text + not_slower(comparison, *fastest) : text;
}

}  // namespace

bool is_less(const Ratio& ratio) {
  return ratio.differs() && ratio.ratio < 1 - kWorthAWord;
}

bool is_more(const Ratio& ratio) {
  return ratio.differs() && ratio.ratio > 1 + kWorthAWord;
}

std::string uncertainty_in_words(const Ratio& ratio) {
  return give_or_take(half_width(ratio));
}

std::string difference_in_words(const Ratio& time, const Ratio& peak) {
  const std::string time_words = "time in malloc";
  const std::string peak_words = "peak memory";
  const bool both = (is_less(time) || is_more(time)) && (is_less(peak) || is_more(peak));
  if (both && about_equal(half_width(time), half_width(peak))) {
    const Ratio& wider = half_width(time) >= half_width(peak) ? time : peak;
    return change(time.ratio, time_words) + ", " + change(peak.ratio, peak_words) + ", " +
           uncertainty_in_words(wider);
  }
  std::string text =
      part_of(time, "time", time_words, true) + ", " + part_of(peak, peak_words, peak_words, true);
  if (!time.known && !peak.known) text += " (how exactly is not known)";
  return text;
}

void write_verdicts(Comparison& comparison, size_t wanted) {
  for (CandidateFigures& figures : comparison.candidates) {
    if (figures.failed) {
      figures.verdict = named(figures) + ": " + figures.failure;
    } else if (figures.is_baseline) {
      figures.verdict = named(figures) + ": " + plain(figures.ns_per_call.median) +
                        " ns per call, " +
                        human_bytes(static_cast<uint64_t>(figures.peak_rss.median)) +
                        " at the peak; the others are compared with this";
    } else {
      figures.verdict = named(figures) + ": " + difference_in_words(figures.time, figures.peak);
    }
  }
  const CandidateFigures& baseline = comparison.candidates[comparison.baseline];
  if (baseline.failed) {
    comparison.verdict = "No allocator could be played to the end.";
    return;
  }
  if (comparison.baseline != wanted) {
    const CandidateFigures& lost = comparison.candidates[wanted];
    comparison.verdict = named(lost) + " " + lost.failure + ", so the others are compared with " +
                         named(baseline) + ". ";
  }
  comparison.verdict += best_of(comparison, named(baseline));
}

}  // namespace heapledger
