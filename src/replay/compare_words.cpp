#include "replay/compare_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "replay/compare_choice.h"
#include "replay/figure_text.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr double kLeastTold = 2;  // percent of time: see fastest_of()
const std::string kTimeWords = "time in malloc";
const std::string kPeakWords = "peak memory";

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

std::string part_of(const Ratio& ratio, const std::string& noun, const std::string& what) {
  if (!ratio.defined || ratio.ratio <= 0) return "too little " + what + " to be told";
  if (!ratio.known) {
    if (std::abs(1 - ratio.ratio) < kWorthAWord) return "about the same " + what;
    return "about " + change(ratio.ratio, what);
  }
  if (!is_less(ratio) && !is_more(ratio)) {
    if (half_width(ratio) < 100 * kWorthAWord) return "the same " + what;
    return "no difference in " + noun + " that can be told (" + uncertainty_in_words(ratio) + ")";
  }
  return change(ratio.ratio, what) + " (" + uncertainty_in_words(ratio) + ")";
}

bool about_equal(double one, double other) {
  const double more = std::max(one, other);
  return more - std::min(one, other) <= std::max(1.01, more / 3);
}

std::string named(const CandidateFigures& figures) {
  return escaped(figures.candidate.name);
}

// What a difference would have to be to be told, in percent.
double told_from(const Ratio& ratio) {
  return is_symmetric(ratio) ? half_width(ratio) : (1 - ratio.low / ratio.ratio) * 100;
}

std::string nothing_better(const Comparison& comparison, const std::string& baseline) {
  double time = kLeastTold;
  double peak = 0;
  size_t others = 0;
  bool known = true;
  bool defined = true;
  for (const CandidateFigures& figures : comparison.candidates) {
    if (figures.failed || figures.is_baseline) continue;
    ++others;
    known = known && figures.time.known;
    defined = defined && figures.time.defined;
    time = std::max(time, told_from(among_all(comparison, figures.time)));
    peak = std::max(peak, told_from(among_all(comparison, figures.peak)));
  }
  if (others == 0) return "There is nothing to compare " + baseline + " with.";
  if (!defined) {
    return "Which one is best cannot be told: there is too little time in malloc, and none needs "
           "less memory by more than can be told.";
  }
  if (!known) {
    return comparison.rounds < 2
               ? "Which one is best cannot be told from one round: ask for more."
               : "Which one is best cannot be told from so little time in malloc.";
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
    if (is_more(among_all(comparison, ratio))) continue;
    names += (names.empty() ? "" : ", ") + named(figures);
  }
  return names.empty() ? names : " No difference in time to it can be told of " + names + ".";
}

// "takes the least time, for 35 % more peak memory (± 1 %): 74 % less time in malloc (± 2 %)".
std::string takes_the_least_time(const CandidateFigures& figures) {
  if (!is_a_cost(figures.peak)) {
    return "takes the least time: " + difference_in_words(figures.time, figures.peak);
  }
  return "takes the least time, for " + part_of(figures.peak, kPeakWords, kPeakWords) + ": " +
         part_of(figures.time, "time", kTimeWords);
}

std::string needs_the_least_memory(const CandidateFigures& figures) {
  if (!is_a_cost(figures.time)) {
    return "needs the least memory: " + difference_in_words(figures.time, figures.peak);
  }
  return "needs the least memory, for " + part_of(figures.time, "time", kTimeWords) + ": " +
         part_of(figures.peak, kPeakWords, kPeakWords);
}

std::string best_of(const Comparison& comparison, const std::string& baseline) {
  const auto fastest = fastest_of(comparison);
  const auto smallest = smallest_of(comparison);
  if (!fastest && !smallest) return nothing_better(comparison, baseline);
  const CandidateFigures& first = comparison.candidates[fastest ? *fastest : *smallest];
  std::string text = named(first) + " ";
  if (fastest && is_best(first)) {
    text += "is best for this program: " + difference_in_words(first.time, first.peak);
  } else {
    text += fastest ? takes_the_least_time(first) : needs_the_least_memory(first);
  }
  text += ", compared with " + baseline;
  text += fastest ? "." : "; that another one takes less time cannot be told.";
  if (fastest && smallest && *smallest != *fastest) {
    const CandidateFigures& other = comparison.candidates[*smallest];
    text += " " + named(other) + " " + needs_the_least_memory(other) + ".";
  }
  if (const auto tried = one_to_try(comparison);
      tried && tried != smallest && fastest && tried != fastest) {
    const CandidateFigures& other = comparison.candidates[*tried];
    text +=
        " At less cost: " + named(other) + ", " + difference_in_words(other.time, other.peak) + ".";
  }
  return fastest ? text + not_slower(comparison, *fastest) : text;
}

}  // namespace

std::string uncertainty_in_words(const Ratio& ratio) {
  if (is_symmetric(ratio)) return give_or_take(half_width(ratio));
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "×%.2f to ×%.2f", ratio.low, ratio.high);
  return text.data();
}

std::string difference_in_words(const Ratio& time, const Ratio& peak) {
  const bool both = (is_less(time) || is_more(time)) && (is_less(peak) || is_more(peak)) &&
                    is_symmetric(time) && is_symmetric(peak);
  if (both && about_equal(half_width(time), half_width(peak))) {
    const Ratio& wider = half_width(time) >= half_width(peak) ? time : peak;
    return change(time.ratio, kTimeWords) + ", " + change(peak.ratio, kPeakWords) + ", " +
           uncertainty_in_words(wider);
  }
  std::string text =
      part_of(time, "time", kTimeWords) + ", " + part_of(peak, kPeakWords, kPeakWords);
  if (time.defined && peak.defined && !time.known && !peak.known) {
    text += " (how exactly is not known)";
  }
  return text;
}

void write_verdicts(Comparison& comparison, size_t wanted) {
  for (CandidateFigures& figures : comparison.candidates) {
    if (figures.failed) {
      figures.verdict = named(figures) + ": " + figures.failure;
    } else if (figures.is_baseline) {
      figures.verdict = named(figures) + ": " + ns_text(figures.ns_per_call.median) +
                        " per call, " +
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
