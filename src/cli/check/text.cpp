#include "cli/check/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace heapledger::cli::check {
namespace {

std::string amount(const Verdict& verdict, uint64_t value) {
  return verdict.is_bytes ? human_bytes(value) : with_commas(value);
}

std::string exact(const Verdict& verdict, uint64_t value) {
  return verdict.is_bytes ? with_commas(value) + " B" : with_commas(value);
}

bool is_growth(const Verdict& verdict) {
  return verdict.limit.kind == LimitKind::kGrowth;
}

// As few decimals as tell the percentage from the limit.
std::string percent_text(const Verdict& verdict) {
  std::optional<double> percent = verdict.percent();
  if (!percent) return verdict.value == 0 ? "0%" : "from nothing";
  std::string text;
  for (int decimals = 1; decimals <= 6; ++decimals) {
    text = is_growth(verdict) ? fmt::format("{:+.{}f}%", *percent, decimals)
                              : fmt::format("{:.{}f}%", *percent, decimals);
    std::string limit = fmt::format("{:.{}f}%", verdict.limit.percent, decimals);
    if (verdict.held || (text != limit && text != "+" + limit)) break;
  }
  return text;
}

bool look_alike(const Verdict& verdict) {
  return !verdict.held && !verdict.limit.is_percent &&
         amount(verdict, verdict.value) == amount(verdict, verdict.limit.value);
}

std::string limit_text(const Verdict& verdict) {
  if (verdict.limit.is_percent) {
    return fmt::format("{}{:g}%", is_growth(verdict) ? "+" : "", verdict.limit.percent);
  }
  return look_alike(verdict) ? exact(verdict, verdict.limit.value)
                             : amount(verdict, verdict.limit.value);
}

std::string value_text(const Verdict& verdict) {
  if (verdict.limit.is_percent) return percent_text(verdict);
  return look_alike(verdict) ? exact(verdict, verdict.value) : amount(verdict, verdict.value);
}

// What a percentage is made of.
std::string details(const Verdict& verdict) {
  if (!verdict.limit.is_percent) return "";
  if (is_growth(verdict)) {
    return fmt::format("from {} to {}", amount(verdict, verdict.of),
                       amount(verdict, verdict.value));
  }
  const char* of = verdict.limit.kind == LimitKind::kTemporary ? "calls" : "allocated";
  return fmt::format("{} of {} {}", amount(verdict, verdict.value), amount(verdict, verdict.of),
                     of);
}

std::string measure_words(const Verdict& verdict) {
  if (verdict.measure == "rss") return "RSS peak";
  if (verdict.measure == "never-freed") return "never freed";
  if (verdict.measure == "temporary") return "temporary calls";
  return verdict.measure;
}

}  // namespace

std::string verdict_name(const Verdict& verdict) {
  std::string name(name_of(verdict.limit.kind));
  return is_growth(verdict) ? name + " (" + verdict.measure + ")" : name;
}

std::string verdict_sentence(const Verdict& verdict) {
  std::string text =
      fmt::format("{}{} {}, limit {}", measure_words(verdict), is_growth(verdict) ? " grew" : "",
                  value_text(verdict), limit_text(verdict));
  std::string more = details(verdict);
  return more.empty() ? text : text + " (" + more + ")";
}

std::string culprits_text(const Verdict& verdict, const Page& page, const std::string& indent) {
  constexpr size_t kWide = 80;  // else file and line would have to go
  Page whole = page;
  whole.cut = page.cut && page.width >= kWide;
  Buffer to;
  for (const Culprit& culprit : verdict.culprits) {
    std::string sign = is_growth(verdict) ? "+" : "";
    size_t taken = indent.size() + 23;
    size_t room = page.width > taken + 24 ? page.width - taken : 24;
    put(to, "{}{:>12} {:>7}  {}\n", indent, sign + amount(verdict, culprit.value),
        percent(culprit.value, culprit.whole),
        function_text(whole, culprit.name, culprit.file, culprit.line, room));
    std::string callers;
    for (const std::string& name : culprit.callers) {
      callers += (callers.empty() ? "called from " : " < ") + escaped(name);
    }
    if (callers.empty()) continue;
    if (page.cut) callers = cut_text(callers, room);
    put(to, "{}{:>20}  {}\n", indent, "", page.style.dim(callers));
  }
  return fmt::to_string(to);
}

std::vector<std::string> suppression_texts(const GateResult& result) {
  std::vector<std::string> texts;
  for (const SuppressionUse& use : result.suppressions) {
    texts.push_back(fmt::format("{} in {} by leak:{}{}", human_bytes(use.bytes),
                                counted(use.blocks, "block"), escaped(use.pattern),
                                use.built_in ? " (built in)" : ""));
  }
  return texts;
}

std::string check_text(const GateResult& result, const Page& page) {
  Buffer to;
  for (const Verdict& verdict : result.verdicts) {
    std::string state = fmt::format("{:<8}", verdict.held ? "held" : "exceeded");
    std::string line = fmt::format("  {:<25} limit {:>11}  value {:>12}  {}", verdict_name(verdict),
                                   limit_text(verdict), value_text(verdict), details(verdict));
    line.erase(line.find_last_not_of(' ') + 1);
    put(to, "{}{}\n", verdict.held ? state : page.style.warning(state), line);
    put(to, "{}", culprits_text(verdict, page, "  "));
  }
  for (const std::string& text : suppression_texts(result)) {
    put(to, "{}\n", page.style.dim("not counted as never freed: " + text));
  }
  auto exceeded =
      static_cast<uint64_t>(std::count_if(result.verdicts.begin(), result.verdicts.end(),
                                          [](const Verdict& verdict) { return !verdict.held; }));
  if (exceeded == 0) {
    put(to, "{}\n", result.verdicts.size() == 1 ? "The limit is held." : "All limits are held.");
  } else {
    put(to, "{}\n",
        page.style.bold(fmt::format("{} of {} exceeded.", with_commas(exceeded),
                                    counted(result.verdicts.size(), "limit"))));
  }
  return page.finished(to);
}

}  // namespace heapledger::cli::check
