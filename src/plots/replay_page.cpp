#include "plots/replay_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "plots/panels.h"
#include "replay/figure_text.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr double kWidth = 1200;
constexpr double kReplayEdge = 20;
constexpr double kReplayBetween = 34;
constexpr double kReplayHead = 34;  // of a panel: its name
constexpr double kRow = 30;         // one allocator
constexpr double kBar = 17;
constexpr double kOverTime = 420;
constexpr double kReplayTitleFont = 17;
constexpr double kLine = 16;  // of the verdict
constexpr size_t kNameCharacters = 16;

std::string name_of(const CandidateFigures& one, size_t characters = 40) {
  return short_name(one.candidate.name, characters);
}

std::string colour_of(size_t i) {
  return fmt::format("s{}", i % kSeriesColours);
}

// One bar for each allocator, one below the other.
class Bars {
 public:
  struct What {
    const char* kind;
    const char* title;
    Measured CandidateFigures::*figure;
    Ratio CandidateFigures::*ratio;
    std::string (*text)(double);
  };

  Bars(Svg& svg, const Box& box, const Comparison& comparison, const What& what)
      : svg_(svg), box_(box), comparison_(comparison), what_(what) {
    const double names = width_of(std::string(kNameCharacters, 'x'), kSmallFont) + 12;
    left_ = box.x + names;
    // The figure stands to the right of the bar.
    double ratios = width_of("×0.88 ±0.02", kSmallFont);
    for (const CandidateFigures& one : comparison.candidates) {
      ratios = std::max(ratios, width_of(ratio_text(one.*what.ratio), kSmallFont));
    }
    width_ = std::max(0.0, box.width - names - width_of("999.9 MiB  ", kSmallFont) - ratios - 24);
    for (const CandidateFigures& one : comparison.candidates) {
      if (!one.failed) top_ = std::max({top_, (one.*what.figure).median, (one.*what.figure).most});
    }
  }

  void draw() {
    svg_.open_group("plot", {{"kind", what_.kind}});
    svg_.text(box_.x, box_.y + 12, what_.title, "name");
    double y = box_.y + kReplayHead;
    for (size_t i = 0; i < comparison_.candidates.size(); ++i) {
      draw_row(i, y);
      y += kRow;
    }
    svg_.line(left_, box_.y + kReplayHead - 8, left_, y - kRow + kBar + 8, "axis");
    svg_.close_group();
  }

 private:
  double x(double value) const {
    return left_ + std::max(value, 0.0) / (top_ > 0 ? top_ : 1) * width_;
  }

  void draw_row(size_t i, double y) {
    const CandidateFigures& one = comparison_.candidates[i];
    const double middle = y + kBar / 2;
    svg_.text(left_ - 8, middle + 4, name_of(one, kNameCharacters), "", Anchor::kEnd);
    if (one.failed) {
      const double room = box_.right() - left_ - 8;
      svg_.text(left_ + 8, middle + 4,
                cut_text(printable(one.failure), characters_in(room, kSmallFont)), "dim");
      return;
    }
    const Measured& figure = one.*what_.figure;
    const std::string value = what_.text(figure.median);
    // Something is never nothing.
    const double length = std::max(1.0, x(figure.median) - left_);
    svg_.rect({left_, y, length, kBar}, "bar " + colour_of(i),
              fmt::format("{}: {}, from {} to {}", name_of(one), value, what_.text(figure.least),
                          what_.text(figure.most)),
              {{"name", name_of(one)}, {"median", fmt::format("{}", figure.median)}});
    draw_whisker(figure, middle);
    const std::string ratio = one.is_baseline ? "baseline" : ratio_text(one.*what_.ratio);
    const double after = std::max(x(figure.median), x(figure.most)) + 8;
    svg_.text(after, middle + 4, value, "");
    svg_.text(after + width_of(value, kSmallFont) + 10, middle + 4, ratio, "dim");
  }

  // From the least to the most of the rounds.
  void draw_whisker(const Measured& figure, double y) {
    const double from = x(figure.least);
    const double to = x(figure.most);
    if (to - from < 2) return;
    svg_.line(from, y, to, y, "thin ink-line");
    for (double end : {from, to}) svg_.line(end, y - 3, end, y + 3, "thin ink-line");
  }

  Svg& svg_;
  Box box_;
  const Comparison& comparison_;
  const What& what_;
  double left_ = 0;
  double width_ = 0;
  double top_ = 0;
};

// Resident memory of all of them, upon what is live.
class OverTime {
 public:
  OverTime(Svg& svg, const Box& box, const Comparison& comparison)
      : svg_(svg), box_(box), comparison_(comparison) {
    for (const CandidateFigures& one : comparison.candidates) {
      if (one.failed || one.rss.empty()) continue;
      if (live_ == nullptr) live_ = &one;
      last_time_ = std::max(last_time_, one.rss.back().time_ns);
      last_call_ = std::max(last_call_, one.rss.back().calls);
      for (const RssPoint& point : one.rss) {
        top_ = std::max({top_, point.rss_bytes, point.live_bytes});
      }
    }
  }

  void draw() {
    svg_.open_group("plot", {{"kind", "rss"}});
    svg_.text(box_.x, box_.y + 12, "Resident memory of the heap, over the recording", "name");
    if (live_ == nullptr) {
      svg_.text(box_.x + box_.width / 2, box_.y + box_.height / 2, "Nothing could be played.",
                "dim", Anchor::kMiddle);
    } else {
      draw_lines();
    }
    svg_.close_group();
  }

 private:
  bool by_time() const { return last_time_ > 0; }

  void draw_lines() {
    draw_keys();
    const double head = kReplayHead + 14;
    const Axes axes({box_.x + kLeftMargin, box_.y + head, box_.width - kLeftMargin,
                     box_.height - head - kBottomMargin},
                    static_cast<double>(by_time() ? last_time_ : last_call_),
                    with_headroom(static_cast<double>(top_)));
    axes.draw_left(svg_, byte_ticks(axes.y_top(), ticks_down(axes.box().height)));
    std::string area = line_of(axes, *live_, &RssPoint::live_bytes);
    area += fmt::format("V{}H{}Z", coordinate(axes.box().bottom()), coordinate(axes.box().x));
    svg_.path(area, "live rest-fill half", "live bytes, as the ledger has them");
    for (size_t i = 0; i < comparison_.candidates.size(); ++i) {
      const CandidateFigures& one = comparison_.candidates[i];
      if (one.failed || one.rss.empty()) continue;
      svg_.path(line_of(axes, one, &RssPoint::rss_bytes), "strong " + colour_of(i) + "-line",
                name_of(one), {{"name", name_of(one)}});
    }
    const size_t across = ticks_across(axes.box().width);
    axes.draw_bottom(
        svg_,
        by_time() ? time_ticks(axes.x_top(), across) : count_ticks(axes.x_top(), across, " calls"),
        true);
  }

  void draw_keys() {
    double x = box_.x;
    const double y = box_.y + 32;
    x = draw_key(svg_, x, y, "rest-fill half", "live bytes");
    for (size_t i = 0; i < comparison_.candidates.size(); ++i) {
      const CandidateFigures& one = comparison_.candidates[i];
      if (one.failed) continue;
      const std::string name = name_of(one, 24);
      if (x + width_of(name, kSmallFont) + 30 > box_.right()) break;  // the bars have them all
      x = draw_key(svg_, x, y, colour_of(i), name);
    }
  }

  // From the start, where nothing is there yet.
  std::string line_of(const Axes& axes, const CandidateFigures& one,
                      uint64_t RssPoint::*field) const {
    std::string commands =
        fmt::format("M{} {}", coordinate(axes.x(0)), coordinate(axes.box().bottom()));
    for (const RssPoint& point : one.rss) {
      const auto at = static_cast<double>(by_time() ? point.time_ns : point.calls);
      commands += fmt::format("L{} {}", coordinate(axes.x(at)),
                              coordinate(axes.y(static_cast<double>(point.*field))));
    }
    return commands;
  }

  Svg& svg_;
  Box box_;
  const Comparison& comparison_;
  const CandidateFigures* live_ = nullptr;  // whose points have the live bytes
  uint64_t last_time_ = 0;
  uint64_t last_call_ = 0;
  uint64_t top_ = 0;
};

// Broken at spaces.
std::vector<std::string> lines_of(const std::string& text, size_t characters) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (lines.empty() || lines.back().size() + 1 + word.size() > characters) {
      lines.push_back(word);
    } else {
      lines.back() += " " + word;
    }
  }
  return lines;
}

std::string bytes(double value) {
  return human_bytes(static_cast<uint64_t>(std::max(value, 0.0)));
}

constexpr Bars::What kTime = {"time-per-call", "Time per call, in malloc and free",
                              &CandidateFigures::ns_per_call, &CandidateFigures::time, ns_text};
constexpr Bars::What kPeak = {"peak-memory", "Peak memory (RSS of the heap)",
                              &CandidateFigures::peak_rss, &CandidateFigures::peak, bytes};

}  // namespace

std::string draw_replay_page(const Comparison& comparison, const ReplayPageWords& words) {
  const double bars = kReplayHead + kRow * static_cast<double>(comparison.candidates.size());
  const double room = kWidth - 2 * kReplayEdge;
  const auto verdict =
      lines_of(printable(comparison.verdict), characters_in(room * 1.05, kSmallFont));
  const double head = 82 + kLine * static_cast<double>(verdict.size());
  Svg svg(kWidth, head + bars + kReplayBetween + kOverTime + kReplayEdge, words.scheme);
  svg.text(kReplayEdge, 32, cut_text(words.title, characters_in(room, kReplayTitleFont)), "title");
  svg.text(kReplayEdge, 52, cut_text(words.subtitle, characters_in(room * 1.05, kSmallFont)),
           "dim");
  double y = 72;
  for (const std::string& line : verdict) {
    svg.text(kReplayEdge, y, line, "");
    y += kLine;
  }
  const double half = (room - kReplayBetween) / 2;
  Bars(svg, {kReplayEdge, head, half, bars}, comparison, kTime).draw();
  Bars(svg, {kReplayEdge + half + kReplayBetween, head, half, bars}, comparison, kPeak).draw();
  OverTime(svg, {kReplayEdge, head + bars + kReplayBetween, room, kOverTime}, comparison).draw();
  return svg.finish();
}

}  // namespace heapledger
