// What --check and --tune found, as people read it.
#include <fmt/format.h>

#include <algorithm>

#include "cli/replay/table.h"
#include "cli/replay/text.h"
#include "replay/figure_text.h"
#include "text/text.h"

namespace heapledger::cli::replay {
namespace {

// "1 of 3 allocators did not pass: mine.so. "; empty when there is none of that kind.
std::string those_that(const std::vector<CandidateFigures>& checked, bool undecided,
                       const char* what) {
  size_t count = 0;
  std::string names;
  for (const CandidateFigures& one : checked) {
    if (!one.failed || one.undecided != undecided) continue;
    ++count;
    names += (names.empty() ? "" : ", ") + escaped(one.candidate.name);
  }
  if (count == 0) return {};
  return fmt::format("{} of {} {}: {}. ", count, counted(checked.size(), "allocator"), what, names);
}

std::string check_verdict(const std::vector<CandidateFigures>& checked) {
  std::string text = those_that(checked, false, "did not pass") +
                     those_that(checked, true, "could not be checked to the end");
  if (!text.empty()) {
    text.pop_back();
    return text;
  }
  return checked.size() == 1
             ? "The allocator keeps its promises."
             : fmt::format("All {} allocators keep their promises.", checked.size());
}

// "one arena for all threads", or that of several together.
std::string words_of(const std::vector<Setting>& settings) {
  if (settings.empty()) return "as it is";
  std::string text;
  for (const Setting& one : settings) text += (text.empty() ? "" : "; ") + one.words;
  return text;
}

std::string marks_of(const Tuned& tuned, size_t i) {
  std::string text;
  auto add = [&text](const char* word) { text += (text.empty() ? "" : ", ") + std::string(word); };
  if (i == tuned.best && i != 0) add("best");
  if (i == tuned.fastest && i != 0 && i != tuned.best) add("fastest");
  if (i == tuned.smallest && i != 0 && i != tuned.best) add("smallest");
  return text;
}

std::string bytes_text(double bytes) {
  return human_bytes(static_cast<uint64_t>(std::max(bytes, 0.0)));
}

// Each was compared with the allocator as it was in the same rounds; that is played again and
// again, and here stands with its last figures. So that all figures fit, they are told by their
// ratios.
double by_ratio(const Measured& own, const Measured& as_it_is, const Ratio& ratio) {
  return std::max(ratio.defined ? as_it_is.median * ratio.ratio : own.median, 0.0);
}

void put_tried(Buffer& to, const Tuned& tuned, const Page& page) {
  Table table(escaped(tuned.allocator), {{"per call"}, {"ratio"}, {"peak RSS"}, {"ratio"}, {""}});
  for (size_t i = 0; i < tuned.tried.size(); ++i) {
    const CandidateFigures& one = tuned.tried[i];
    std::string words = i < tuned.settings.size() ? words_of(tuned.settings[i]) : "";
    if (one.failed) {
      table.add(words, {{printable(one.failure), {}}});
      continue;
    }
    if (i == 0) {
      table.add(words, {{ns_text(one.ns_per_call.median), one.ns_per_call.median},
                        {"", {}},
                        {bytes_text(one.peak_rss.median), one.peak_rss.median},
                        {"", {}},
                        {"", {}}});
      continue;
    }
    const double time = by_ratio(one.ns_per_call, tuned.tried[0].ns_per_call, one.time);
    const double peak = by_ratio(one.peak_rss, tuned.tried[0].peak_rss, one.peak);
    table.add(words, {{ns_text(time), time},
                      {ratio_text(one.time), {}},
                      {bytes_text(peak), peak},
                      {ratio_text(one.peak), {}},
                      {marks_of(tuned, i), {}}});
  }
  table.put(to, page);
}

void put_exports(Buffer& to, const Tuned& tuned) {
  if (tuned.best == 0 || tuned.best >= tuned.settings.size()) return;
  put(to, "\n");
  for (const auto& [name, value] : environment_of(tuned.settings[tuned.best])) {
    put(to, "  export {}={}\n", name, shell_word(value));
  }
}

}  // namespace

std::string check_text(const std::vector<CandidateFigures>& checked, const ReplayView& view,
                       const Page& page) {
  Buffer to;
  const std::string verdict = check_verdict(checked);
  put(to, "{}\n\n", page.style.bold(page.cut ? wrapped(verdict, page.width) : verdict));
  put_played(to, view, "every block filled and verified", page);
  put(to, "\n");
  size_t width = 0;
  for (const CandidateFigures& one : checked) {
    width = std::max(width, shown_width(escaped(one.candidate.name)));
  }
  for (const CandidateFigures& one : checked) {
    const std::string found =
        one.failed ? page.style.warning(printable(one.failure)) : "every block as it was written";
    put(to, "  {:<{}}  {}\n", escaped(one.candidate.name), width, found);
  }
  return page.finished(to);
}

std::string tuned_text(const std::vector<Tuned>& all, const ReplayView& view, const Page& page) {
  Buffer to;
  for (const Tuned& tuned : all) {
    put(to, "{}\n", page.style.bold(page.cut ? wrapped(tuned.verdict, page.width) : tuned.verdict));
  }
  put(to, "\n");
  put_played(to, view, "each setting alone, then the best together", page);
  for (const Tuned& tuned : all) {
    put(to, "\n");
    put_tried(to, tuned, page);
    put_exports(to, tuned);
    if (tuned.out_of_time) {
      put(to, "\n");
      put_wrapped(to, page, "Not all settings were tried: --limit gives more time.", 0);
    }
  }
  return page.finished(to);
}

}  // namespace heapledger::cli::replay
