// Histograms: sizes and lifetimes, by powers of two.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "plots/panels.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr double kClassesHead = 40;
constexpr double kClassesStripHead = 30;

// The bars stand side by side: one for 0, if there is any, those for powers of two, and one for
// what was never freed, with a little room before it.
class Places {
 public:
  Places(const std::vector<Row>& rows, double x, double width) : x_(x), right_(x + width) {
    for (const Row& row : rows) {
      if (row.key == 0) {
        has_zero_ = true;
      } else if (row.key == kNeverFreed) {
        has_never_ = true;
      } else {
        unsigned power = power_of(row.key);
        first_ = has_powers_ ? std::min(first_, power) : power;
        last_ = has_powers_ ? std::max(last_, power) : power;
        has_powers_ = true;
      }
    }
    double slots = (has_zero_ ? 1.0 : 0) + (has_never_ ? 1.5 : 0) +
                   (has_powers_ ? static_cast<double>(last_ - first_) + 1 : 0);
    slot_ = width / std::max(slots, 12.0);
  }

  double width() const { return slot_; }
  double right() const { return right_; }
  double left_of(uint64_t key) const {
    if (key == 0) return x_;
    if (key == kNeverFreed) return at_power(has_powers_ ? last_ + 1.0 : first_) + slot_ / 2;
    return at_power(power_of(key));
  }
  double at_power(double power) const {
    return x_ + (has_zero_ ? slot_ : 0) + (power - first_) * slot_;
  }
  bool has_zero() const { return has_zero_; }
  bool has_never() const { return has_never_; }
  bool has_powers() const { return has_powers_; }
  unsigned first() const { return first_; }
  unsigned last() const { return last_; }

 private:
  static unsigned power_of(uint64_t key) { return static_cast<unsigned>(std::bit_width(key)) - 1; }

  double x_;
  double right_;  // of the room for all
  double slot_ = 1;
  bool has_zero_ = false;
  bool has_never_ = false;
  bool has_powers_ = false;
  unsigned first_ = 0;
  unsigned last_ = 0;
};

std::vector<Row> ask_classes(Ledgers& ledgers, GroupBy by) {
  Question question;
  question.at = parse_moment("peak");
  question.by = by;
  return ledgers.ask(question).rows;
}

std::string size_class(uint64_t key) {
  if (key < 2) return fmt::format("{} B", key);
  return fmt::format("{} to {}", human_bytes(key), human_bytes(2 * key - 1));
}

std::string lifetime_class(uint64_t key) {
  if (key == kNeverFreed) return "never freed";
  if (key < 2) return fmt::format("{} ns", key);
  return fmt::format("{} to {}", human_duration(key), human_duration(2 * key - 1));
}

struct Strip {
  const char* title;
  const char* fill;
  uint64_t Figures::*field;
  bool bytes;
};

class ClassesPanel {
 public:
  ClassesPanel(Svg& svg, const Box& box, std::vector<Row> rows, std::string (*name)(uint64_t))
      : svg_(svg),
        box_(box),
        rows_(std::move(rows)),
        name_(name),
        places_(rows_, box.x + kLeftMargin, box.width - kLeftMargin) {}

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
                fmt::format("bar {}", strip.fill), name_(row.key) + ": " + amount,
                {{"from", row.key == kNeverFreed ? "never" : exact(row.key)},
                 {strip.bytes ? "bytes" : "calls", exact(value)}});
    }
  }

  Svg& svg_;
  Box box_;
  std::vector<Row> rows_;
  std::string (*name_)(uint64_t);
  Places places_;
};

void draw_zero_label(Svg& svg, const Places& places, double y) {
  if (!places.has_zero()) return;
  svg.text(places.left_of(0) + places.width() / 2, y, "0", "dim", Anchor::kMiddle);
}

void draw_size_labels(Svg& svg, const Places& places, double y) {
  draw_zero_label(svg, places, y);
  if (!places.has_powers()) return;
  double free_from = places.has_zero() ? places.left_of(0) + places.width() / 2 + 10 : 0;
  unsigned every = std::max(1u, static_cast<unsigned>(std::ceil(58 / places.width())));
  for (unsigned power = places.first(); power <= places.last() + 1 && power < 64; ++power) {
    double x = places.at_power(power);
    svg.line(x, y - 16, x, y - 12, "axis");
    std::string label = byte_label(std::exp2(power));
    double half = width_of(label, kSmallFont) / 2;
    if ((power - places.first()) % every != 0 || x - half < free_from) continue;
    double beyond = std::max(0.0, x + half - (places.right() + 12));
    svg.text(x - beyond, y, label, "dim", Anchor::kMiddle);
  }
}

void draw_lifetime_labels(Svg& svg, const Places& places, double y) {
  draw_zero_label(svg, places, y);
  if (places.has_powers()) {
    double from = std::exp2(places.first());
    double to = std::exp2(places.last() + 1);
    double free_from = places.has_zero() ? places.at_power(places.first()) : 0;
    for (const Tick& tick : decade_ticks(from, to)) {
      double x = places.at_power(std::log2(tick.value));
      svg.line(x, y - 16, x, y - 12, "axis");
      double half = width_of(tick.label, kSmallFont) / 2;
      if (x - half < free_from) continue;
      svg.text(x, y, tick.label, "dim", Anchor::kMiddle);
      free_from = x + half + 6;
    }
  }
  if (!places.has_never()) return;
  double x = places.left_of(kNeverFreed) + places.width();
  svg.text(x, y + (places.has_powers() ? 14 : 0), "never freed", "dim", Anchor::kEnd);
}

}  // namespace

void draw_sizes(Svg& svg, const Box& box, Ledgers& ledgers) {
  const Figures& totals = ledgers.overview().totals;
  svg.open_group("plot", {{"kind", "sizes"},
                          {"calls", exact(totals.calls)},
                          {"bytes", exact(totals.bytes)},
                          {"live-bytes", exact(totals.live_bytes)}});
  svg.text(box.x, box.y + 12, "Sizes", "name");
  ClassesPanel panel(svg, box, ask_classes(ledgers, GroupBy::kSizeClass), size_class);
  if (panel.is_empty()) {
    draw_nothing(svg, box);
  } else {
    double bottom = panel.draw({{"calls", "calls-fill", &Figures::calls, false},
                                {"bytes asked for", "bytes-fill", &Figures::bytes, true},
                                {"live at the peak", "live-fill", &Figures::live_bytes, true}});
    draw_size_labels(svg, panel.places(), bottom + 16);
  }
  svg.close_group();
}

void draw_lifetimes(Svg& svg, const Box& box, Ledgers& ledgers) {
  svg.open_group("plot",
                 {{"kind", "lifetimes"}, {"calls", exact(ledgers.overview().totals.calls)}});
  svg.text(box.x, box.y + 12, "Lifetimes", "name");
  Box inner = box;
  inner.height -= 13;  // "never freed" stands below the times
  ClassesPanel panel(svg, inner, ask_classes(ledgers, GroupBy::kLifetimeClass), lifetime_class);
  if (panel.is_empty()) {
    draw_nothing(svg, box);
  } else {
    double bottom = panel.draw({{"calls", "calls-fill", &Figures::calls, false},
                                {"bytes asked for", "bytes-fill", &Figures::bytes, true}});
    draw_lifetime_labels(svg, panel.places(), bottom + 16);
  }
  svg.close_group();
}

}  // namespace heapledger
