#include "plots/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/error.h"
#include "analyzer/own_threads.h"
#include "analyzer/query/heap_map.h"
#include "analyzer/query/shared_pass.h"
#include "plots/panels.h"
#include "text/nearest.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr double kEdge = 20;
constexpr double kBetween = 26;  // panels
constexpr double kTitleFont = 17;

struct KindFacts {
  PlotKind kind;
  const char* name;
  size_t height;  // of a page with this alone
  size_t least;
};
constexpr std::array kKinds = {
    KindFacts{PlotKind::kTime, "time", 640, 460},
    KindFacts{PlotKind::kSites, "sites", 640, 420},
    KindFacts{PlotKind::kSizes, "sizes", 560, 360},
    KindFacts{PlotKind::kLifetimes, "lifetimes", 560, 320},
    KindFacts{PlotKind::kMap, "map", 700, 320},
    KindFacts{PlotKind::kAll, "all", 2300, 1500},
};

const KindFacts& facts_of(PlotKind kind) {
  return *std::find_if(kKinds.begin(), kKinds.end(),
                       [kind](const KindFacts& facts) { return facts.kind == kind; });
}

std::string command_of(const LedgerFacts& ledger, size_t characters) {
  std::string line;
  for (const std::string& argument : ledger.command) {
    if (line.size() > characters) break;
    line += (line.empty() ? "" : " ") + shell_word(argument.substr(0, characters + 1));
  }
  if (line.empty()) line = ledger.executable.empty() ? "(unknown)" : escaped(ledger.executable);
  return cut_text(line, characters);
}

std::string title_of(Ledgers& ledgers, size_t characters) {
  const std::vector<LedgerFacts>& facts = ledgers.facts();
  auto first = std::min_element(facts.begin(), facts.end(), [](const auto& a, const auto& b) {
    return a.start_wall_ns < b.start_wall_ns;
  });
  if (facts.size() == 1) return command_of(*first, characters);
  std::string which = counted(facts.size(), "process") + ": ";
  return which + command_of(*first, characters - std::min(characters - 1, which.size()));
}

// In bold some letters are nearly twice as wide as most: a name that is full of them is cut
// earlier.
std::string title_within(Ledgers& ledgers, double room) {
  constexpr double kMuchWider = 0.5;  // of the size of the font
  size_t characters = characters_in(room, kTitleFont);
  for (;; --characters) {
    std::string title = title_of(ledgers, characters);
    const auto wide = std::count_if(title.begin(), title.end(), [](char letter) {
      return std::string_view("mwMW@%").find(letter) != std::string_view::npos;
    });
    const double width =
        width_of(title, kTitleFont) + static_cast<double>(wide) * kMuchWider * kTitleFont;
    if (width <= room || characters < 8) return title;
  }
}

std::string subtitle_of(Ledgers& ledgers) {
  const std::vector<LedgerFacts>& facts = ledgers.facts();
  const Overview& overview = ledgers.overview();
  size_t threads = 0;
  bool sampled = false;
  for (const LedgerFacts& ledger : facts) {
    threads += own_threads(ledger);
    sampled = sampled || ledger.sampled;
  }
  // As a report says it: without what the libraries keep on purpose.
  Question in_all;
  in_all.top = 0;
  const NeverFreed left = ledgers.never_freed(Suppressions::built_in(), in_all);
  return fmt::format("{}ran {}, {}; {}, {} in all; peak {}, never freed {}{}",
                     facts.size() == 1 ? fmt::format("process {}, ", facts[0].pid) : "",
                     human_duration(overview.duration_ns), counted(threads, "thread"),
                     counted(overview.totals.calls, "call"), human_bytes(overview.totals.bytes),
                     human_bytes(overview.totals.peak_bytes),
                     human_bytes(left.answer.totals.live_bytes),
                     sampled ? "; estimated from samples" : "");
}

// Owners that leave more than a fifth of the chart in grey give way to parts that leave less.
constexpr unsigned kEnoughPercent = 80;

// One pass for all that the panels want to know.
PanelFacts collect_facts(Ledgers& ledgers, const PageOptions& options) {
  PanelFacts facts;
  auto shows = [&options](PlotKind kind) {
    return options.kind == PlotKind::kAll || options.kind == kind;
  };
  Question at_peak;
  at_peak.at = parse_moment("peak");
  SharedPass pass(ledgers, at_peak);
  if (shows(PlotKind::kSites)) {
    Question question;
    question.top = std::min(options.top, kSeriesColours);
    ledgers.explain(question, question.top, kEnoughPercent);
    facts.by_part = question.by == GroupBy::kPart;
    pass.over_time(question, facts.owners);
  }
  Question by_class;
  by_class.by = GroupBy::kSizeClass;
  if (shows(PlotKind::kSizes)) pass.ask(by_class, facts.sizes);
  by_class.by = GroupBy::kLifetimeClass;
  if (shows(PlotKind::kLifetimes)) pass.ask(by_class, facts.lifetimes);
  if (shows(PlotKind::kMap)) {
    pass.block_events([&facts](const BlockEvent& event) { note_used(event, facts.used); });
  }
  pass.run();
  return facts;
}

void draw_all(Svg& svg, const Box& box, Ledgers& ledgers, const PanelFacts& facts) {
  // Shares of the height: time, sites, sizes beside lifetimes, map.
  constexpr std::array<double, 4> kShares = {0.31, 0.25, 0.21, 0.23};
  double height = box.height - 3 * kBetween;
  double y = box.y;
  auto next = [&](size_t i) {
    Box part{box.x, y, box.width, height * kShares[i]};
    y += part.height + kBetween;
    return part;
  };
  draw_time(svg, next(0), ledgers);
  draw_sites(svg, next(1), ledgers, facts);
  Box both = next(2);
  double half = (both.width - kEdge) / 2;
  draw_sizes(svg, {both.x, both.y, half, both.height}, ledgers, facts);
  draw_lifetimes(svg, {both.x + half + kEdge, both.y, half, both.height}, ledgers, facts);
  draw_map(svg, next(3), ledgers, facts);
}

void draw_kind(Svg& svg, const Box& box, Ledgers& ledgers, const PageOptions& options) {
  const PanelFacts facts = collect_facts(ledgers, options);
  switch (options.kind) {
    case PlotKind::kTime:
      return draw_time(svg, box, ledgers);
    case PlotKind::kSites:
      return draw_sites(svg, box, ledgers, facts);
    case PlotKind::kSizes:
      return draw_sizes(svg, box, ledgers, facts);
    case PlotKind::kLifetimes:
      return draw_lifetimes(svg, box, ledgers, facts);
    case PlotKind::kMap:
      return draw_map(svg, box, ledgers, facts);
    case PlotKind::kAll:
      return draw_all(svg, box, ledgers, facts);
  }
}

}  // namespace

PlotKind parse_plot_kind(std::string_view text) {
  std::vector<std::string> names;
  std::string list;
  for (const KindFacts& facts : kKinds) {
    if (text == facts.name) return facts.kind;
    names.emplace_back(facts.name);
    list += (list.empty() ? "" : ", ") + std::string(facts.name);
  }
  throw Error(
      "there is no kind '" + std::string(text) + "', only " + list + did_you_mean(text, names),
      ErrorKind::kQuestion);
}

double draw_heading(Svg& svg, Ledgers& ledgers, double width, const std::string& heap) {
  double room = width - 2 * kEdge;
  svg.text(kEdge, 32, title_within(ledgers, room), "title");
  std::string subtitle =
      (heap.empty() ? "" : "heap " + printable(heap) + "; ") + subtitle_of(ledgers);
  svg.text(kEdge, 52, cut_text(subtitle, characters_in(room * 1.05, kSmallFont)), "dim");
  return 72;
}

size_t checked_side(size_t given, size_t usual, size_t least, const char* side) {
  size_t value = given == 0 ? usual : given;
  if (value >= least && value <= kMostPixels) return value;
  throw Error(fmt::format("{} is from {} to {} here", side, least, kMostPixels),
              ErrorKind::kQuestion);
}

PageOptions sized(PageOptions options) {
  const KindFacts& facts = facts_of(options.kind);
  size_t least = options.kind == PlotKind::kAll ? 2 * kLeastWidth : kLeastWidth;
  options.width = checked_side(options.width, 1200, least, "the width");
  options.height = checked_side(options.height, facts.height, facts.least, "the height");
  return options;
}

std::string draw_page(Ledgers& ledgers, const PageOptions& options) {
  auto width = static_cast<double>(options.width);
  auto height = static_cast<double>(options.height);
  Svg svg(width, height, options.scheme);
  double y = draw_heading(svg, ledgers, width, options.heap);
  draw_kind(svg, {kEdge, y, width - 2 * kEdge, height - y - kEdge}, ledgers, options);
  return svg.finish();
}

}  // namespace heapledger
