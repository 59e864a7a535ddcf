// Live bytes, resident memory and rates over time, one strip below the other.
#include <fmt/format.h>

#include <algorithm>

#include "plots/panels.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr double kHead = 34;        // for the title, the key and the texts of markers
constexpr double kStripHead = 36;   // for the title of a further strip
constexpr uint64_t kMostAbove = 4;  // resident memory is drawn up to so many times the peak

class TimePanel {
 public:
  TimePanel(Svg& svg, const Box& box, Ledgers& ledgers)
      : svg_(svg),
        overview_(ledgers.overview()),
        series_(series_for(overview_.series, box.width - kLeftMargin)),
        box_(box),
        duration_(static_cast<double>(overview_.duration_ns)) {}

  void draw() {
    const Figures& totals = overview_.totals;
    svg_.open_group("plot", {{"kind", "time"},
                             {"peak-bytes", exact(totals.peak_bytes)},
                             {"peak-time-ns", exact(overview_.peak_time_ns)},
                             {"rss-peak-bytes", exact(overview_.rss_peak_bytes)},
                             {"duration-ns", exact(overview_.duration_ns)},
                             {"calls", exact(sum_of(&SeriesBucket::calls))},
                             {"bytes", exact(sum_of(&SeriesBucket::bytes))}});
    bool rss = overview_.rss_peak_bytes > 0;
    bool together = rss && overview_.rss_peak_bytes / kMostAbove <= totals.peak_bytes;
    // Heights: the first strip has most.
    size_t strips = rss && !together ? 3 : 2;
    double left = box_.height - kHead - kBottomMargin;
    double strip = std::max(30.0, left * (strips == 3 ? 0.18 : 0.22) - kStripHead);
    double first = left - static_cast<double>(strips) * (strip + kStripHead);
    double y = box_.y + kHead;
    draw_live({box_.x + kLeftMargin, y, box_.width - kLeftMargin, first}, together);
    y += first + kStripHead;
    if (strips == 3) {
      draw_rss(strip_at(y, strip));
      y += strip + kStripHead;
    }
    draw_rate(strip_at(y, strip), false, "calls per second", "calls-fill", &SeriesBucket::calls);
    y += strip + kStripHead;
    draw_rate(strip_at(y, strip), true, "bytes asked for per second", "bytes-fill",
              &SeriesBucket::bytes);
    svg_.close_group();
  }

 private:
  Box strip_at(double y, double height) const {
    return {box_.x + kLeftMargin, y, box_.width - kLeftMargin, height};
  }

  uint64_t sum_of(uint64_t SeriesBucket::*field) const {
    uint64_t sum = 0;
    for (const SeriesBucket& bucket : series_.buckets) sum += bucket.*field;
    return sum;
  }

  std::vector<Tick> times() const { return time_ticks(duration_, ticks_across(box_.width)); }

  void draw_live(const Box& box, bool with_rss) {
    uint64_t peak = overview_.totals.peak_bytes;
    auto top = static_cast<double>(with_rss ? std::max(peak, overview_.rss_peak_bytes) : peak);
    Axes axes(box, duration_, with_headroom(top));
    svg_.text(box_.x, box_.y + 12, "Live bytes over time", "name");
    draw_live_key(with_rss);
    axes.draw_left(svg_, byte_ticks(axes.y_top(), ticks_down(box.height)));
    Steps steps(axes, static_cast<double>(series_.width_ns));
    auto most = values_of(series_, [](const SeriesBucket& b) { return b.max_bytes; });
    auto least = values_of(series_, [](const SeriesBucket& b) { return b.min_bytes; });
    std::vector<double> none(most.size());
    svg_.path(steps.area(most, least), "live-fill pale");
    svg_.path(steps.area(least, none), "live-fill half");
    svg_.path(steps.line(most), "live-line thin");
    if (with_rss) draw_rss_line(steps);
    axes.draw_bottom(svg_, times(), false);
    draw_markers(svg_, axes, overview_, true);
    if (peak > 0) draw_peak(axes);
  }

  void draw_live_key(bool with_rss) {
    double x = box_.x + 190;
    double y = box_.y + 12;
    x = draw_key(svg_, x, y, "live-fill half", "least");
    x = draw_key(svg_, x, y, "live-fill pale", "most in each step");
    if (with_rss) draw_key(svg_, x, y, "rss-fill", "resident memory (RSS)");
  }

  void draw_rss_line(const Steps& steps) {
    auto most = values_of(series_, [](const SeriesBucket& b) { return b.max_rss; });
    svg_.path(steps.line(most), "rss-line strong",
              "resident memory, up to " + human_bytes(overview_.rss_peak_bytes));
  }

  void draw_peak(const Axes& axes) {
    uint64_t bytes = overview_.totals.peak_bytes;
    double x = axes.x(static_cast<double>(overview_.peak_time_ns));
    double y = axes.y(static_cast<double>(bytes));
    std::string text =
        fmt::format("peak {} at {}", human_bytes(bytes), human_duration(overview_.peak_time_ns));
    svg_.circle(x, y, 3.5, "ink-fill peak", text,
                {{"bytes", exact(bytes)},
                 {"time-ns", exact(overview_.peak_time_ns)},
                 {"blocks", exact(overview_.totals.peak_blocks)}});
    bool at_left = x + 10 + width_of(text, kSmallFont) > axes.box().right();
    svg_.text(at_left ? x - 7 : x + 7, y - 4, text, "halo",
              at_left ? Anchor::kEnd : Anchor::kStart);
    svg_.text(at_left ? x - 7 : x + 7, y - 4, text, "", at_left ? Anchor::kEnd : Anchor::kStart);
  }

  void draw_rss(const Box& box) {
    svg_.text(box_.x, box.y - 10, "Resident memory (RSS), with the live bytes on one scale",
              "name");
    Axes axes(box, duration_, with_headroom(static_cast<double>(overview_.rss_peak_bytes)));
    axes.draw_left(svg_, byte_ticks(axes.y_top(), ticks_down(box.height)));
    Steps steps(axes, static_cast<double>(series_.width_ns));
    auto most = values_of(series_, [](const SeriesBucket& b) { return b.max_bytes; });
    svg_.path(steps.area(most, std::vector<double>(most.size())), "live-fill half",
              "live bytes, up to " + human_bytes(overview_.totals.peak_bytes));
    draw_rss_line(steps);
    axes.draw_bottom(svg_, times(), false);
    draw_markers(svg_, axes, overview_, false);
  }

  void draw_rate(const Box& box, bool last, const char* what, const char* fill,
                 uint64_t SeriesBucket::*field) {
    double seconds = static_cast<double>(series_.width_ns) / 1e9;
    auto rates = values_of(series_, [field](const SeriesBucket& b) { return b.*field; });
    for (double& rate : rates) rate /= seconds > 0 ? seconds : 1;
    double most = rates.empty() ? 0 : *std::max_element(rates.begin(), rates.end());
    std::string title = what;
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
    svg_.text(box_.x, box.y - 10, title, "name");
    Axes axes(box, duration_, with_headroom(most));
    size_t count = ticks_down(box.height);
    axes.draw_left(svg_, last ? byte_ticks(axes.y_top(), count, "/s")
                              : count_ticks(axes.y_top(), count, "/s"));
    Steps steps(axes, static_cast<double>(series_.width_ns));
    svg_.path(steps.area(rates, std::vector<double>(rates.size())), fill);
    axes.draw_bottom(svg_, times(), last);
    draw_markers(svg_, axes, overview_, false);
  }

  Svg& svg_;
  const Overview& overview_;
  Series series_;
  Box box_;
  double duration_;
};

}  // namespace

void draw_time(Svg& svg, const Box& box, Ledgers& ledgers) {
  TimePanel(svg, box, ledgers).draw();
}

}  // namespace heapledger
