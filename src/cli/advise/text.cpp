#include "cli/advise/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/pages/command_line.h"

namespace heapledger::cli::advise {
namespace {

constexpr size_t kIndent = 3;
constexpr size_t kCallers = 4;
constexpr size_t kMostCaller = 60;
constexpr size_t kMostPlace = 60;
constexpr double kLeastShown = 0.001;  // of calls or bytes, beside larger parts

// Below main there is nothing that anybody wrote.
bool is_start(const NamedFrame& frame) {
  return frame.name == "_start" || frame.name.starts_with("__libc_start_");
}

// "src/main.cpp:42 parse()"; without a line, the function and the module.
std::string where(const NamedFrame& frame) {
  if (frame.name.empty()) return "unknown code";
  std::string name = escaped(frame.name);
  if (!frame.file.empty()) return place_text(frame.file, frame.line, kMostPlace) + " " + name;
  std::string module = frame.module.substr(frame.module.rfind('/') + 1);
  if (module.empty() || frame.name.starts_with(module + "+0x")) return name;
  return escaped(module) + " " + name;
}

// The functions outside the one that is named, without those of libraries.
std::string callers(const Finding& finding, Ledgers& ledgers) {
  std::vector<NamedFrame> stack = ledgers.frames(finding.site);
  auto at = std::find_if(stack.begin(), stack.end(), [&](const NamedFrame& frame) {
    return frame.name == finding.frame.name && frame.line == finding.frame.line;
  });
  std::string text;
  std::string_view before = finding.frame.name;
  size_t shown = 0;
  for (; at != stack.end() && !is_start(*at); ++at) {
    if (at->wrapper || at->name == before) continue;
    if (shown++ == kCallers) return text + " < …";
    text += (text.empty() ? "called from " : " < ") + cut_text(escaped(at->name), kMostCaller);
    before = at->name;
  }
  if (text.empty() || finding.sites.size() < 2) return text;
  return text +
         fmt::format("; and {} with other callers", counted(finding.sites.size() - 1, "stack"));
}

void put_finding(Buffer& to, size_t number, const Finding& finding, const Advice& advice,
                 Ledgers& ledgers, const Page& page) {
  std::string title =
      fmt::format("{}. {}: {}", number, where(finding.frame), words_of(finding.rule));
  put(to, "\n{}\n", page.style.bold(page.cut ? wrapped(title, page.width) : title));
  put_wrapped(to, page, escaped(finding.what), kIndent);
  put_wrapped(to, page, "Evidence: " + escaped(finding.evidence) + ".", kIndent);
  put_wrapped(to, page, escaped(finding.advice), kIndent);
  std::string saved = saved_words(finding, advice);
  std::string effect = effect_words(finding);
  if (!saved.empty()) put_wrapped(to, page, saved + ".", kIndent);
  if (!effect.empty()) put_wrapped(to, page, effect + ".", kIndent);
  std::string outer = callers(finding, ledgers);
  if (page.cut) outer = cut_text(outer, page.width - kIndent);
  if (!outer.empty()) put(to, "{}{}\n", std::string(kIndent, ' '), page.style.dim(outer));
}

void put_replay_note(Buffer& to, const Advice& advice, const Page& page) {
  std::string text;
  if (!advice.why_no_effect.empty()) {
    text = "Effects were not measured: " + printable(advice.why_no_effect);
  } else if (!advice.allocator.empty()) {
    text = "Effects were measured by replaying the ledger against " + escaped(advice.allocator) +
           fmt::format(" in {}; ± is for 95% confidence.", counted(advice.rounds, "round"));
  }
  if (!text.empty()) put(to, "\n{}\n", page.style.dim(page.cut ? wrapped(text, page.width) : text));
}

std::string percent_text(double share) {
  return fmt::format("{:.{}f}%", share * 100, std::abs(share) < 0.0995 ? 1 : 0);
}

}  // namespace

std::string saved_words(const Finding& finding, const Advice& advice) {
  std::string text;
  auto add = [&](uint64_t part, uint64_t whole, const std::string& words) {
    double share = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
    if (part == 0 || (share < kLeastShown && finding.worth >= kLeastShown)) return;
    text +=
        fmt::format("{}{} ({})", text.empty() ? "Saves up to " : ", ", words, percent(part, whole));
  };
  const Saved& saved = finding.saved;
  add(saved.calls, advice.calls, counted(saved.calls, "call"));
  add(saved.bytes, advice.bytes, human_bytes(saved.bytes) + " allocated in all");
  add(saved.peak_bytes, advice.peak_bytes, human_bytes(saved.peak_bytes) + " at the peak");
  return text;
}

std::string effect_words(const Finding& finding) {
  if (!finding.effect) return {};
  const Ratio& time = finding.effect->time;
  std::string text = finding.treatment == Treatment::kArena ? "Replayed with them in arenas: "
                                                            : "Replayed without them: ";
  double less = finding.effect->less_share;
  if (!time.known) {
    return text + percent_text(std::abs(less)) +
           (less >= 0 ? " less time in the allocator" : " more time in the allocator") +
           ", from a single round, so the error is not known";
  }
  std::string about = percent_text((time.high - time.low) / 2);
  if (!time.differs()) {
    return text + fmt::format(
                      "no difference in the allocator's time that is surer than chance ({} "
                      "{}, ±{})",
                      percent_text(std::abs(less)), less >= 0 ? "less" : "more", about);
  }
  return text + fmt::format("{} (±{}) {} time in the allocator", percent_text(std::abs(less)),
                            about, less >= 0 ? "less" : "more");
}

std::string advice_text(const Advice& advice, Ledgers& ledgers, const Page& page) {
  Buffer to;
  const LedgerFacts& facts = ledgers.facts().front();
  put(to, "{}\n", command_line(facts));
  std::string head;
  size_t count = advice.findings.size();
  if (count == 0) {
    head = fmt::format(
        "Nothing to advise: in {}, with {} at the peak, no rule found anything that is worth 1% of "
        "them.",
        counted(advice.calls, "call"), human_bytes(advice.peak_bytes));
  } else {
    head = fmt::format("{} in {} with {} at the peak, the most worth doing first.",
                       counted(count + advice.more, "finding"), counted(advice.calls, "call"),
                       human_bytes(advice.peak_bytes));
  }
  put(to, "{}\n", page.cut ? wrapped(head, page.width) : head);
  for (size_t i = 0; i < count; ++i) {
    put_finding(to, i + 1, advice.findings[i], advice, ledgers, page);
  }
  if (advice.more > 0) {
    put(to, "\n{}\n", page.style.dim(fmt::format("… and {} more: --top 0", advice.more)));
  }
  put_replay_note(to, advice, page);
  return page.finished(to);
}

}  // namespace heapledger::cli::advise
