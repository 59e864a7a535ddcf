#include "plots/film.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyzer/error.h"
#include "analyzer/query/heap_map.h"
#include "plots/cells.h"
#include "plots/page.h"
#include "plots/panels.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr double kFilmEdge = 20;
constexpr double kLabel = 16;    // the height of a region's name
constexpr size_t kCells = 3000;  // at most
constexpr double kTimeline = 130;

// As many cells as can be told apart in the box.
HeapMapShape shape_for(const Box& box, size_t frames) {
  constexpr double kSide = 9;
  HeapMapShape shape;
  shape.columns = frames;
  shape.regions = std::clamp<size_t>(static_cast<size_t>(box.height / 50), 1, 8);
  // Every region needs room for its name, and may leave a part of a line empty.
  double height = box.height - static_cast<double>(shape.regions) * (kLabel + 4 + kSide);
  auto cells = static_cast<size_t>(std::max(0.0, box.width * height / (kSide * kSide)));
  shape.rows = std::clamp<size_t>(cells, 100, kCells);
  return shape;
}

size_t lines_of(const HeapRegion& region, size_t per_line) {
  return (region.rows + per_line - 1) / per_line;
}

// How the cells of all regions have room in the box: the largest that fit.
double cell_side(const HeapMap& map, const Box& box) {
  for (double side = 24; side > 2; side -= 1) {
    auto per_line = static_cast<size_t>(box.width / side);
    double height = 0;
    for (const HeapRegion& region : map.regions) {
      height += static_cast<double>(lines_of(region, per_line)) * side + kLabel + 4;
    }
    if (height <= box.height) return side;
  }
  return 2;
}

// From a power of two on: 64 B+.
std::string class_name(size_t size_class) {
  return size_class == 0 ? "0 B" : byte_label(std::exp2(size_class - 1)) + "+";
}

}  // namespace

struct Film::Parts {
  Parts(Ledgers& all, const FilmOptions& given) : ledgers(all), options(given) {
    auto width = static_cast<double>(options.width);
    auto height = static_cast<double>(options.height);
    double top = 112;
    double bottom = height - kFilmEdge - kBottomMargin - kTimeline - 30;
    double field_width = std::floor((width - 3 * kFilmEdge) * 0.62);
    field = {kFilmEdge, top, field_width, bottom - top};
    sizes = {2 * kFilmEdge + field_width, top, width - 3 * kFilmEdge - field_width, bottom - top};
    timeline = {kFilmEdge + kLeftMargin, bottom + 30, width - 2 * kFilmEdge - kLeftMargin,
                kTimeline};
    map = heap_map(ledgers, {}, shape_for(field, options.frames));
    series = series_for(ledgers.overview().series, width);
    side = cell_side(map, field);
    find_classes();
  }

  void find_classes() {
    for (const auto& column : map.sizes) {
      for (size_t i = 0; i < column.size(); ++i) {
        if (column[i] < 1e-6) continue;
        most_of_class = std::max(most_of_class, column[i]);
        first_class = std::min(first_class, i);
        last_class = std::max(last_class, i);
      }
    }
  }

  double live(size_t frame) const {
    double sum = 0;
    for (double bytes : map.sizes[frame]) sum += bytes;
    return sum;
  }

  void draw_field(Svg& svg, size_t frame) const {
    svg.text(field.x, field.y - 8, fmt::format("Heap: a cell is {}", human_bytes(map.cell_bytes)),
             "name");
    draw_level_key(svg, field.x + 190, field.y - 8);
    auto per_line = static_cast<size_t>(field.width / side);
    double y = field.y;
    CellPaths paths(true);
    for (const HeapRegion& region : map.regions) {
      svg.text(field.x, y + 12, region_name(ledgers, region), "dim");
      y += kLabel;
      for (size_t row = 0; row < region.rows; ++row) {
        double x = field.x + static_cast<double>(row % per_line) * side;
        size_t line = row / per_line;
        size_t level = level_of(map.cell(region.first_row + row, frame), map.cell_bytes);
        double gap = side > 4 ? 1 : 0;
        paths.add(level, x, y + static_cast<double>(line) * side, side - gap, side - gap);
      }
      y += static_cast<double>(lines_of(region, per_line)) * side + 4;
    }
    paths.draw(svg);
  }

  void draw_sizes(Svg& svg, size_t frame) const {
    svg.text(sizes.x, sizes.y - 8, "Live bytes by size", "name");
    if (first_class > last_class) return;
    auto count = static_cast<double>(last_class - first_class + 1);
    double slot = std::min(22.0, sizes.height / count);
    auto every = static_cast<size_t>(std::ceil(12 / slot));  // as many labels as have room
    double label = 74;
    double width = sizes.width - label - 84;
    for (size_t i = first_class; i <= last_class; ++i) {
      double y = sizes.y + static_cast<double>(i - first_class) * slot;
      double bytes = map.sizes[frame][i];
      double middle = y + slot / 2 + 4;
      double length = bytes / most_of_class * width;
      svg.rect({sizes.x + label, y + 1, std::max(length, bytes >= 1 ? 1.0 : 0.0), slot - 2},
               "live-fill");
      if ((i - first_class) % every != 0) continue;
      svg.text(sizes.x + label - 8, middle, class_name(i), "dim", Anchor::kEnd);
      if (bytes < 1) continue;
      svg.text(sizes.x + label + length + 6, middle, human_bytes(static_cast<uint64_t>(bytes)),
               "dim");
    }
  }

  void draw_timeline(Svg& svg, double now) const {
    const Overview& overview = ledgers.overview();
    auto duration = static_cast<double>(overview.duration_ns);
    Axes axes(timeline, duration, with_headroom(static_cast<double>(overview.totals.peak_bytes)));
    svg.text(kFilmEdge, timeline.y - 10, "Live bytes over time", "name");
    axes.draw_left(svg, byte_ticks(axes.y_top(), ticks_down(timeline.height)));
    Steps steps(axes, static_cast<double>(series.width_ns));
    auto most = values_of(series, [](const SeriesBucket& b) { return b.max_bytes; });
    svg.path(steps.area(most, std::vector<double>(most.size())), "live-fill pale");
    svg.path(steps.line(most), "live-line thin");
    axes.draw_bottom(svg, time_ticks(duration, ticks_across(timeline.width)), true);
    draw_markers(svg, axes, overview, true);
    svg.line(axes.x(now), timeline.y, axes.x(now), timeline.bottom(), "rss-line strong");
  }

  Ledgers& ledgers;
  FilmOptions options;
  HeapMap map;
  Series series;
  Box field;
  Box sizes;
  Box timeline;
  double side = 1;
  double most_of_class = 1;
  size_t first_class = HeapMap::kSizeClasses;
  size_t last_class = 0;
};

FilmOptions sized(FilmOptions options) {
  options.width = checked_side(options.width, 1280, 800, "the width") / 2 * 2;
  options.height = checked_side(options.height, 720, 540, "the height") / 2 * 2;
  if (options.frames < 2 || options.frames > kMostFrames) {
    throw Error(fmt::format("a film has from 2 to {} frames", kMostFrames), ErrorKind::kQuestion);
  }
  return options;
}

Film::Film(Ledgers& ledgers, const FilmOptions& options)
    : parts_(std::make_unique<Parts>(ledgers, options)) {}

Film::~Film() = default;

std::string Film::draw(size_t frame) const {
  const Parts& parts = *parts_;
  auto width = static_cast<double>(parts.options.width);
  Svg svg(width, static_cast<double>(parts.options.height), parts.options.scheme);
  draw_heading(svg, parts.ledgers, width);
  double now = (static_cast<double>(frame) + 1) * parts.map.column_ns;
  svg.text(width - kFilmEdge, 84,
           fmt::format("{}: {} live", human_duration(static_cast<uint64_t>(now)),
                       human_bytes(static_cast<uint64_t>(parts.live(frame)))),
           "clock", Anchor::kEnd);
  parts.draw_field(svg, frame);
  parts.draw_sizes(svg, frame);
  parts.draw_timeline(svg, now);
  return svg.finish();
}

}  // namespace heapledger
