// Histograms: sizes and lifetimes, by their classes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyzer/query/classes.h"
#include "plots/panels.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr double kClassesHead = 40;
constexpr double kClassesStripHead = 30;

// The bars stand side by side in their natural order: one for sizes of 0, if there are any, those
// of the classes from the first to the last that has something, and one for what was never freed,
// with a little room before it.
class Places {
 public:
  Places(GroupBy by, const std::vector<Row>& rows, double x, double width)
      : by_(by), x_(x), right_(x + width) {
    for (const Row& row : rows) {
      if (is_zero(row.key)) {
        has_zero_ = true;
      } else if (is_never(row.key)) {
        has_never_ = true;
      } else {
        const uint32_t number = class_of_key(by, row.key);
        first_ = has_classes_ ? std::min(first_, number) : number;
        last_ = has_classes_ ? std::max(last_, number) : number;
        has_classes_ = true;
      }
    }
    double slots = (has_zero_ ? 1.0 : 0) + (has_never_ ? 1.5 : 0) +
                   (has_classes_ ? static_cast<double>(last_ - first_) + 1 : 0);
    slot_ = width / std::max(slots, 12.0);
  }

  double width() const { return slot_; }
  double right() const { return right_; }
  double left_of(uint64_t key) const {
    if (is_zero(key)) return x_;
    if (is_never(key)) return edge(has_classes_ ? last_ + 1 : first_) + slot_ / 2;
    return edge(class_of_key(by_, key));
  }
  // Where a class begins.
  double edge(uint32_t number) const {
    return x_ + (has_zero_ ? slot_ : 0) + (static_cast<double>(number) - first_) * slot_;
  }
  bool has_zero() const { return has_zero_; }
  bool has_never() const { return has_never_; }

  // The edges that have a bound to show, from the left.
  struct Edge {
    double x = 0;
    std::string label;
  };
  std::vector<Edge> edges() const {
    std::vector<Edge> found;
    if (!has_classes_) return found;
    for (uint32_t number = first_; number <= last_; ++number) {
      const ClassBounds bounds = by_ == GroupBy::kSizeClass ? bounds_of_size_class(number)
                                                            : bounds_of_lifetime_class(number);
      if (number == first_) found.push_back({edge(number), bound(bounds.from)});
      if (bounds.below == kNoUpperBound) continue;
      found.push_back({edge(number + 1), bound(bounds.below)});
    }
    return found;
  }

 private:
  bool is_zero(uint64_t key) const { return by_ == GroupBy::kSizeClass && key == 0; }
  bool is_never(uint64_t key) const { return by_ == GroupBy::kLifetimeClass && key == kNeverFreed; }
  std::string bound(uint64_t value) const { return value == 0 ? "0" : bound_text(by_, value); }

  GroupBy by_;
  double x_;
  double right_;  // of the room for all
  double slot_ = 1;
  bool has_zero_ = false;
  bool has_never_ = false;
  bool has_classes_ = false;
  uint32_t first_ = 0;
  uint32_t last_ = 0;
};

struct Strip {
  const char* title;
  const char* fill;
  uint64_t Figures::*field;
  bool bytes;
};

class ClassesPanel {
 public:
  ClassesPanel(Svg& svg, const Box& box, const Answer& answer, GroupBy by)
      : svg_(svg),
        box_(box),
        rows_(answer.rows),
        places_(by, rows_, box.x + kLeftMargin, box.width - kLeftMargin) {}

  const Places& places() const { return places_; }
  bool is_empty() const { return rows_.empty(); }

  // Each strip has an equal share of the height. Returns where the last one ends.
  double draw(const std::vector<Strip>& strips) {
    auto count = static_cast<double>(strips.size());
    double height =
        (box_.height - kClassesHead - kBottomMargin - (count - 1) * kClassesStripHead) / count;
    double y = box_.y + kClassesHead;
    for (const Strip& strip : strips) {
      Box box{box_.x + kLeftMargin, y, box_.width - kLeftMargin, std::max(height, 20.0)};
      draw_strip(box, strip);
      y += box.height + kClassesStripHead;
    }
    return y - kClassesStripHead;
  }

 private:
  void draw_strip(const Box& box, const Strip& strip) {
    svg_.text(box_.x, box.y - 10, strip.title, "dim");
    uint64_t most = 0;
    for (const Row& row : rows_) most = std::max(most, row.all.*strip.field);
    Axes axes(box, 1, with_headroom(static_cast<double>(most)));
    size_t count = ticks_down(box.height);
    axes.draw_left(
        svg_, strip.bytes ? byte_ticks(axes.y_top(), count) : count_ticks(axes.y_top(), count));
    axes.draw_bottom(svg_, {}, false);
    for (const Row& row : rows_) {
      uint64_t value = row.all.*strip.field;
      if (value == 0) continue;
      // Something is never nothing.
      double height = std::max(1.0, box.bottom() - axes.y(static_cast<double>(value)));
      std::string amount = strip.bytes ? human_bytes(value) : counted(value, "call");
      svg_.rect({places_.left_of(row.key) + 1, box.bottom() - height, places_.width() - 2, height},
                fmt::format("bar {}", strip.fill), row.name + ": " + amount,
                {{"from", row.key == kNeverFreed ? "never" : exact(row.key)},
                 {strip.bytes ? "bytes" : "calls", exact(value)}});
    }
  }

  Svg& svg_;
  Box box_;
  const std::vector<Row>& rows_;
  Places places_;
};

// As many bounds as there is room for, and what stands apart.
void draw_class_labels(Svg& svg, const Places& places, double y) {
  double free_from = 0;
  if (places.has_zero()) {
    const double middle = places.left_of(0) + places.width() / 2;
    svg.text(middle, y, "0", "dim", Anchor::kMiddle);
    free_from = middle + 10;
  }
  const std::vector<Places::Edge> edges = places.edges();
  double widest = 0;
  for (const Places::Edge& edge : edges) {
    widest = std::max(widest, width_of(edge.label, kSmallFont));
  }
  const auto every = static_cast<size_t>(std::ceil((widest + 6) / places.width()));
  for (size_t i = 0; i < edges.size(); ++i) {
    const Places::Edge& edge = edges[i];
    svg.line(edge.x, y - 16, edge.x, y - 12, "axis");
    const double half = width_of(edge.label, kSmallFont) / 2;
    if (i % every != 0 || edge.x - half < free_from) continue;
    const double beyond = std::max(0.0, edge.x + half - (places.right() + 12));
    svg.text(edge.x - beyond, y, edge.label, "dim", Anchor::kMiddle);
  }
  if (!places.has_never()) return;
  const double right = places.left_of(kNeverFreed) + places.width();
  svg.text(right, y + (edges.empty() ? 0 : 14), "never freed", "dim", Anchor::kEnd);
}

}  // namespace

void draw_sizes(Svg& svg, const Box& box, Ledgers& ledgers, const PanelFacts& facts) {
  const Figures& totals = ledgers.overview().totals;
  svg.open_group("plot", {{"kind", "sizes"},
                          {"calls", exact(totals.calls)},
                          {"bytes", exact(totals.bytes)},
                          {"live-bytes", exact(totals.live_bytes)}});
  svg.text(box.x, box.y + 12, "Sizes", "name");
  ClassesPanel panel(svg, box, facts.sizes, GroupBy::kSizeClass);
  if (panel.is_empty()) {
    draw_nothing(svg, box);
  } else {
    double bottom = panel.draw({{"calls", "calls-fill", &Figures::calls, false},
                                {"bytes asked for", "bytes-fill", &Figures::bytes, true},
                                {"live at the peak", "live-fill", &Figures::live_bytes, true}});
    draw_class_labels(svg, panel.places(), bottom + 16);
  }
  svg.close_group();
}

void draw_lifetimes(Svg& svg, const Box& box, Ledgers& ledgers, const PanelFacts& facts) {
  svg.open_group("plot",
                 {{"kind", "lifetimes"}, {"calls", exact(ledgers.overview().totals.calls)}});
  svg.text(box.x, box.y + 12, "Lifetimes", "name");
  Box inner = box;
  inner.height -= 13;  // "never freed" stands below the times
  ClassesPanel panel(svg, inner, facts.lifetimes, GroupBy::kLifetimeClass);
  if (panel.is_empty()) {
    draw_nothing(svg, box);
  } else {
    double bottom = panel.draw({{"calls", "calls-fill", &Figures::calls, false},
                                {"bytes asked for", "bytes-fill", &Figures::bytes, true}});
    draw_class_labels(svg, panel.places(), bottom + 16);
  }
  svg.close_group();
}

}  // namespace heapledger
