#include "plots/film.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>

#include "analyzer/error.h"
#include "analyzer/query/classes.h"
#include "analyzer/query/heap_map.h"
#include "plots/cells.h"
#include "plots/film_blocks.h"
#include "plots/page.h"
#include "plots/panels.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr double kFilmEdge = 20;
constexpr double kLabel = 16;    // the height of a region's name
constexpr size_t kCells = 3000;  // at most
constexpr double kTimeline = 130;
constexpr double kOwnerRow = 29;  // a name, and a bar below it
constexpr double kSizeRow = 14;

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
  const uint64_t from = bounds_of_size_class(static_cast<uint32_t>(size_class)).from;
  return bound_text(GroupBy::kSizeClass, from) + (from == 0 ? "" : "+");
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
    blocks = std::make_unique<FilmBlocks>(ledgers, map);
    rows = std::clamp<size_t>(static_cast<size_t>(sizes.height * 0.6 / kOwnerRow), 3,
                              blocks->owners().size() + 1);
    owners = sizes;
    owners.height = static_cast<double>(rows) * kOwnerRow;
    sizes.y += owners.height + 34;
    sizes.height -= owners.height + 34;
    find_classes();
  }

  void find_classes() {
    for (const auto& column : map.sizes) {
      for (size_t i = 0; i < column.size(); ++i) {
        if (column[i] < 1e-6) continue;
        first_class = std::min(first_class, i);
        last_class = std::max(last_class, i);
      }
    }
    if (first_class > last_class) return;
    // As many bars as have room for their texts.
    auto count = static_cast<double>(last_class - first_class + 1);
    together = static_cast<size_t>(std::ceil(count * kSizeRow / std::max(sizes.height, kSizeRow)));
    for (size_t frame = 0; frame < map.columns; ++frame) {
      for (size_t i = first_class; i <= last_class; i += together) {
        most_of_sizes = std::max(most_of_sizes, bytes_from(frame, i));
      }
    }
  }

  // Of the classes that share a bar.
  double bytes_from(size_t frame, size_t first) const {
    double bytes = 0;
    for (size_t i = first; i < first + together && i <= last_class; ++i) {
      bytes += map.sizes[frame][i];
    }
    return bytes;
  }

  uint64_t live(size_t frame) const {
    uint64_t sum = 0;
    for (uint64_t bytes : blocks->moment(frame).live) sum += bytes;
    return sum;
  }

  static std::string colour_of(size_t owner) {
    return owner + 1 == FilmBlocks::kOwners ? "rest-fill" : fmt::format("s{}", owner);
  }

  void draw_field(Svg& svg, size_t frame) const {
    svg.text(field.x, field.y - 8, fmt::format("Heap: a cell is {}", human_bytes(map.cell_bytes)),
             "name");
    const FilmBlocks::Moment& moment = blocks->moment(frame);
    std::vector<bool> in_large(map.rows);
    for (const FilmBlock& block : moment.large) {
      for (size_t i = 0; i < block.cells; ++i) in_large[block.first_cell + i] = true;
    }
    auto per_line = static_cast<size_t>(field.width / side);
    double gap = side > 4 ? 1 : 0;
    double y = field.y;
    std::map<std::string, std::string> paths;  // by classes
    // So many cells from one of a region on, a rectangle on every line.
    auto add = [&](const std::string& classes, size_t row, size_t count) {
      while (count > 0) {
        size_t here = std::min(count, per_line - row % per_line);
        double width = static_cast<double>(here) * side - gap;
        paths[classes] += fmt::format(
            "M{} {}h{}v{}h-{}z", coordinate(field.x + static_cast<double>(row % per_line) * side),
            coordinate(y + static_cast<double>(row / per_line) * side), coordinate(width),
            coordinate(side - gap), coordinate(width));
        row += here;
        count -= here;
      }
    };
    for (const HeapRegion& region : map.regions) {
      svg.text(field.x, y + 12, region_name(ledgers, region), "dim");
      y += kLabel;
      for (size_t row = 0; row < region.rows; ++row) {
        const FilmBlocks::Cell& cell = moment.cells[region.first_row + row];
        if (in_large[region.first_row + row]) continue;
        static constexpr std::array kStrengths = {"", " pale", " half", ""};
        add(cell.thirds == 0 ? "slot" : colour_of(cell.owner) + kStrengths[cell.thirds], row, 1);
      }
      for (const FilmBlock& block : moment.large) {
        if (block.first_cell < region.first_row ||
            block.first_cell >= region.first_row + region.rows) {
          continue;
        }
        add(colour_of(block.owner), block.first_cell - region.first_row, block.cells);
      }
      y += static_cast<double>(lines_of(region, per_line)) * side + 4;
    }
    for (const auto& [classes, commands] : paths) svg.path(commands, classes);
  }

  // The bars are as long as what each of them owns.
  void draw_owners(Svg& svg, size_t frame) const {
    svg.text(owners.x, owners.y - 8, "Who owns it", "name");
    double width = owners.width - 84;
    for (size_t i = 0; i < rows; ++i) {
      size_t owner = i + 1 == rows ? FilmBlocks::kOwners - 1 : i;
      uint64_t bytes = blocks->moment(frame).live[owner];
      for (size_t other = rows - 1; i + 1 == rows && other + 1 < FilmBlocks::kOwners; ++other) {
        bytes += blocks->moment(frame).live[other];  // those without a row
      }
      std::string name = i + 1 == rows ? "everybody else" : escaped(blocks->owners()[i]);
      double y = owners.y + static_cast<double>(i) * kOwnerRow;
      svg.text(owners.x, y + 10, short_name(name, characters_in(owners.width, kSmallFont)), "dim");
      double length =
          width * std::min(1.0, static_cast<double>(bytes) / static_cast<double>(blocks->most()));
      svg.rect({owners.x, y + 14, std::max(length, 1.0), 9}, colour_of(owner));
      svg.text(owners.x + length + 6, y + 22, human_bytes(bytes), "dim");
    }
  }

  void draw_sizes(Svg& svg, size_t frame) const {
    svg.text(sizes.x, sizes.y - 8, "Live bytes by size", "name");
    if (first_class > last_class) return;
    double label = 74;
    double width = sizes.width - label - 84;
    double y = sizes.y;
    for (size_t i = first_class; i <= last_class; i += together) {
      double bytes = bytes_from(frame, i);
      double length = bytes / most_of_sizes * width;
      svg.rect({sizes.x + label, y + 1, std::max(length, bytes >= 1 ? 1.0 : 0.0), kSizeRow - 3},
               "live-fill");
      svg.text(sizes.x + label - 8, y + 10, class_name(i), "dim", Anchor::kEnd);
      if (bytes >= 1) {
        svg.text(sizes.x + label + length + 6, y + 10, human_bytes(static_cast<uint64_t>(bytes)),
                 "dim");
      }
      y += kSizeRow;
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
  Box owners;
  Box sizes;
  Box timeline;
  std::unique_ptr<FilmBlocks> blocks;
  size_t rows = 0;  // of owners
  double side = 1;
  double most_of_sizes = 1;
  size_t together = 1;  // classes of sizes in a bar
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
  draw_heading(svg, parts.ledgers, width, parts.options.heap);
  double now = (static_cast<double>(frame) + 1) * parts.map.column_ns;
  svg.text(width - kFilmEdge, 84,
           fmt::format("{}: {} live", human_duration(static_cast<uint64_t>(now)),
                       human_bytes(parts.live(frame))),
           "clock", Anchor::kEnd);
  parts.draw_field(svg, frame);
  parts.draw_owners(svg, frame);
  parts.draw_sizes(svg, frame);
  parts.draw_timeline(svg, now);
  return svg.finish();
}

}  // namespace heapledger
