// Who has most at the peak, over time, one upon the other: lines to blame or, where no few of them
// have much, parts of the program. What stands at the end of each step is drawn, so that the areas
// add up to all that was live then.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "plots/panels.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr double kSitesHead = 34;
constexpr double kSitesKeyLine = 16;

struct Shown {
  std::string name;  // in the key
  uint32_t line = 0;
  uint64_t at_peak = 0;
  std::vector<double> values;
  std::vector<std::string> callers;  // of parts, the nearest first
};

// The name without its parameters, which take more room than they say.
std::string without_parameters(const std::string& name) {
  if (name.empty() || name.back() != ')') return name;
  int depth = 0;
  for (size_t at = name.size(); at-- > 1;) {
    depth += name[at] == ')' ? 1 : name[at] == '(' ? -1 : 0;
    if (depth == 0) return name[at - 1] == ' ' ? name : name.substr(0, at);
  }
  return name;
}

using Same = std::vector<Shown*>;  // those with one name

std::map<std::string, Same> by_name(const Same& sites) {
  std::map<std::string, Same> groups;
  for (Shown* shown : sites) groups[shown->name].push_back(shown);
  return groups;
}

// Adds the callers at the first depth where they are not all the same. False when there is none.
bool add_callers(Same& same, size_t& depth) {
  auto caller = [&depth](const Shown* shown) {
    return depth < shown->callers.size() ? shown->callers[depth] : std::string();
  };
  size_t deepest = 0;
  for (const Shown* shown : same) deepest = std::max(deepest, shown->callers.size());
  for (; depth < deepest; ++depth) {
    auto differs = [&](const Shown* shown) { return caller(shown) != caller(same[0]); };
    if (std::none_of(same.begin(), same.end(), differs)) continue;
    for (Shown* shown : same) {
      if (depth < shown->callers.size()) shown->name += " ← " + caller(shown);
    }
    return true;
  }
  return false;
}

// Those in one function are told apart by their callers, or else by their lines.
void tell_apart(Same same, size_t depth) {
  if (!add_callers(same, depth)) {
    for (Shown* shown : same) {
      if (shown->line > 0) shown->name += fmt::format(", line {}", shown->line);
    }
    return;
  }
  for (const auto& [name, still_same] : by_name(same)) {
    if (still_same.size() > 1) tell_apart(still_same, depth + 1);
  }
}

void tell_all_apart(std::vector<Shown>& sites) {
  Same all;
  for (Shown& shown : sites) all.push_back(&shown);
  for (const auto& [name, same] : by_name(all)) {
    if (same.size() > 1) tell_apart(same, 0);
  }
}

// Adds `values` on top of `below`, bucket by bucket.
std::vector<double> stacked(const std::vector<double>& below, const std::vector<double>& values) {
  std::vector<double> sum = below;
  for (size_t i = 0; i < std::min(sum.size(), values.size()); ++i) sum[i] += values[i];
  return sum;
}

class SitesPanel {
 public:
  SitesPanel(Svg& svg, const Box& box, Ledgers& ledgers, const PanelFacts& facts)
      : svg_(svg),
        overview_(ledgers.overview()),
        series_(series_for(overview_.series, box.width - kLeftMargin)),
        box_(box),
        by_part_(facts.by_part) {
    take(facts.owners);
  }

  void draw() {
    svg_.open_group("plot", {{"kind", "sites"},
                             {"peak-bytes", exact(overview_.totals.peak_bytes)},
                             {"rest-bytes", exact(rest_at_peak_)}});
    svg_.text(box_.x, box_.y + 12,
              by_part_ ? "Parts of the program with most live bytes at the peak"
                       : "Places with most live bytes at the peak",
              "name");
    bool one_column = box_.width < 700;
    size_t lines = one_column ? sites_.size() + 1 : (sites_.size() + 2) / 2;
    double keys = static_cast<double>(lines) * kSitesKeyLine + 8;
    Box plot{box_.x + kLeftMargin, box_.y + kSitesHead, box_.width - kLeftMargin,
             std::max(40.0, box_.height - kSitesHead - kBottomMargin - keys)};
    draw_areas(plot);
    draw_keys(plot.bottom() + kBottomMargin + 16, lines, one_column ? 1 : 2);
    svg_.close_group();
  }

 private:
  void take(const GroupsOverTime& found) {
    rest_at_peak_ = found.answer.totals.live_bytes;
    for (size_t i = 0; i < found.answer.rows.size(); ++i) {
      const Row& row = found.answer.rows[i];
      if (row.all.live_bytes == 0 || row.is_rest) break;
      std::vector<std::string> callers;
      for (const std::string& caller : row.callers) callers.push_back(without_parameters(caller));
      sites_.push_back({without_parameters(row.function.empty() ? row.name : row.function),
                        by_part_ ? 0 : row.line, row.all.live_bytes, values_at(found, i),
                        std::move(callers)});
      rest_at_peak_ -= std::min(rest_at_peak_, row.all.live_bytes);
    }
    tell_all_apart(sites_);
  }

  // A group's bytes at the end of each bucket of the common series. Both have buckets that are a
  // power of two wide, so those of one are whole buckets of the other.
  std::vector<double> values_at(const GroupsOverTime& found, size_t row) const {
    std::vector<double> values(series_.buckets.size());
    const std::vector<uint64_t>& live = found.live_bytes[row];
    if (live.empty() || found.width_ns == 0) return values;
    for (size_t i = 0; i < values.size(); ++i) {
      uint64_t last = std::max<uint64_t>((i + 1) * series_.width_ns / found.width_ns, 1) - 1;
      values[i] = static_cast<double>(live[std::min<size_t>(last, live.size() - 1)]);
    }
    return values;
  }

  void draw_areas(const Box& plot) {
    auto duration = static_cast<double>(overview_.duration_ns);
    Axes axes(plot, duration, with_headroom(static_cast<double>(overview_.totals.peak_bytes)));
    axes.draw_left(svg_, byte_ticks(axes.y_top(), ticks_down(plot.height)));
    Steps steps(axes, static_cast<double>(series_.width_ns));
    std::vector<double> below(series_.buckets.size());
    for (size_t i = 0; i < sites_.size(); ++i) {
      std::vector<double> upper = stacked(below, sites_[i].values);
      svg_.path(steps.area(upper, below), fmt::format("s{}", i), title_of(sites_[i]));
      below = std::move(upper);
    }
    auto all = values_of(series_, [](const SeriesBucket& b) { return b.end_bytes; });
    for (size_t i = 0; i < all.size(); ++i) all[i] = std::max(all[i], below[i]);
    svg_.path(steps.area(all, below), "rest-fill", "everywhere else");
    auto most = values_of(series_, [](const SeriesBucket& b) { return b.max_bytes; });
    svg_.path(steps.line(most), "ink-line thin", "most bytes live in each step");
    axes.draw_bottom(svg_, time_ticks(duration, ticks_across(plot.width)), true);
    draw_markers(svg_, axes, overview_, true);
  }

  std::string title_of(const Shown& shown) const {
    return fmt::format("{}: {} at the peak, {}", short_name(shown.name, 200),
                       human_bytes(shown.at_peak),
                       percent(shown.at_peak, overview_.totals.peak_bytes));
  }

  void draw_keys(double y, size_t lines, size_t columns) {
    double width = box_.width / static_cast<double>(columns);
    for (size_t i = 0; i <= sites_.size(); ++i) {
      size_t column = i / lines;
      double x = box_.x + static_cast<double>(column) * width;
      double line = y + static_cast<double>(i % lines) * kSitesKeyLine;
      bool rest = i == sites_.size();
      uint64_t bytes = rest ? rest_at_peak_ : sites_[i].at_peak;
      svg_.open_group("key", {{"bytes", exact(bytes)}});
      svg_.rect({x, line - 9, 10, 10}, rest ? "rest-fill" : fmt::format("s{}", i));
      svg_.text(x + 82, line, human_bytes(bytes), "dim", Anchor::kEnd);
      svg_.text(x + 130, line, percent(bytes, overview_.totals.peak_bytes), "dim", Anchor::kEnd);
      std::string name = rest ? "everywhere else"
                              : short_name(sites_[i].name, characters_in(width - 160, kSmallFont));
      svg_.text(x + 140, line, name, "");
      svg_.close_group();
    }
  }

  Svg& svg_;
  const Overview& overview_;
  Series series_;
  Box box_;
  std::vector<Shown> sites_;
  uint64_t rest_at_peak_ = 0;
  bool by_part_ = false;
};

}  // namespace

void draw_sites(Svg& svg, const Box& box, Ledgers& ledgers, const PanelFacts& facts) {
  SitesPanel(svg, box, ledgers, facts).draw();
}

}  // namespace heapledger
