// Addresses by time: a strip for each region that is used, the lowest addresses at the bottom as on
// every axis; what is unused between them is cut out and named.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plots/cells.h"
#include "plots/panels.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr double kMapHead = 34;
constexpr double kMapKeyLine = 18;
constexpr double kNarrow = 900;   // the key is below the title
constexpr double kGap = 15;       // between regions: room for the size of what is cut out
constexpr double kAddress = 100;  // room at the left for an address

class MapPanel {
 public:
  MapPanel(Svg& svg, const Box& box, Ledgers& ledgers, const std::vector<UsedAddresses>& used)
      : svg_(svg), ledgers_(ledgers), box_(box) {
    HeapMapShape shape;
    double head = kMapHead + (is_narrow() ? kMapKeyLine : 0);
    plot_ = {box.x + kAddress, box.y + head, box.width - kAddress,
             std::max(box.height - head - kBottomMargin, 40.0)};
    shape.regions = std::clamp<size_t>(static_cast<size_t>(plot_.height / 40), 1, 12);
    shape.rows = std::clamp<size_t>(static_cast<size_t>(plot_.height / 2), 8, 400);
    shape.columns = std::clamp<size_t>(static_cast<size_t>(plot_.width / 2), 32, 600);
    map_ = heap_map(ledgers, {}, shape, used);
  }

  void draw() {
    double most_elsewhere = 0;
    for (double bytes : map_.elsewhere) most_elsewhere = std::max(most_elsewhere, bytes);
    svg_.open_group("plot", {{"kind", "map"},
                             {"cell-bytes", exact(map_.cell_bytes)},
                             {"regions", exact(map_.regions.size())},
                             {"columns", exact(map_.columns)}});
    svg_.text(box_.x, box_.y + 12, "Heap map: addresses over time", "name");
    if (map_.regions.empty()) {
      draw_nothing(svg_, box_);
      svg_.close_group();
      return;
    }
    draw_key_line(most_elsewhere);
    draw_regions();
    auto duration = static_cast<double>(ledgers_.overview().duration_ns);
    Axes axes(plot_, duration, 1);
    axes.draw_bottom(svg_, time_ticks(duration, ticks_across(plot_.width)), true);
    draw_markers(svg_, axes, ledgers_.overview(), true);
    svg_.close_group();
  }

 private:
  bool is_narrow() const { return box_.width < kNarrow; }

  void draw_key_line(double most_elsewhere) {
    double x = box_.x + (is_narrow() ? 0 : 260);
    double y = box_.y + 12 + (is_narrow() ? kMapKeyLine : 0);
    draw_level_key(svg_, x, y);
    std::string text = "a row is " + human_bytes(map_.cell_bytes);
    if (most_elsewhere >= 1) {
      text += fmt::format("; not shown: up to {} elsewhere",
                          human_bytes(static_cast<uint64_t>(most_elsewhere)));
    }
    x += 250;
    svg_.text(x, y, cut_text(text, characters_in(box_.right() - x, kSmallFont)), "dim");
  }

  void draw_regions() {
    auto gaps = static_cast<double>(map_.regions.size() - 1) * kGap;
    double row_height = (plot_.height - gaps) / static_cast<double>(map_.rows);
    double y = plot_.bottom();
    const HeapRegion* below = nullptr;
    for (const HeapRegion& region : map_.regions) {
      if (below != nullptr) {
        draw_gap(*below, region, y);
        y -= kGap;
      }
      double height = static_cast<double>(region.rows) * row_height;
      draw_region(region, {plot_.x, y - height, plot_.width, height}, row_height);
      y -= height;
      below = &region;
    }
  }

  void draw_region(const HeapRegion& region, const Box& box, double row_height) {
    svg_.open_group("region", {{"begin", fmt::format("{:#x}", region.begin)},
                               {"end", fmt::format("{:#x}", region.end)},
                               {"process", exact(ledgers_.facts()[region.ledger].pid)}});
    svg_.rect(box, "slot pale", region_name(ledgers_, region));
    CellPaths paths;
    double column_width = box.width / static_cast<double>(map_.columns);
    for (size_t row = 0; row < region.rows; ++row) {
      double y = box.bottom() - static_cast<double>(row + 1) * row_height;
      add_row(paths, region.first_row + row, y, row_height, column_width);
    }
    paths.draw(svg_);
    bool several = ledgers_.facts().size() > 1;
    if (box.height >= 10) {
      svg_.text(plot_.x - 6, box.bottom(), fmt::format("{:#x}", region.begin), "dim", Anchor::kEnd);
    }
    if (box.height >= 26) {
      svg_.text(plot_.x - 6, box.bottom() - 13, human_bytes(region.end - region.begin), "dim",
                Anchor::kEnd);
    }
    if (several && box.height >= 39) {
      svg_.text(plot_.x - 6, box.bottom() - 26,
                fmt::format("process {}", ledgers_.facts()[region.ledger].pid), "dim",
                Anchor::kEnd);
    }
    svg_.close_group();
  }

  // Neighbours of one level are one rectangle.
  void add_row(CellPaths& paths, size_t row, double y, double height, double width) {
    size_t from = 0;
    for (size_t column = 1; column <= map_.columns; ++column) {
      size_t level = level_of(map_.cell(row, from), map_.cell_bytes);
      if (column < map_.columns && level_of(map_.cell(row, column), map_.cell_bytes) == level) {
        continue;
      }
      paths.add(level, plot_.x + static_cast<double>(from) * width, y,
                static_cast<double>(column - from) * width, height);
      from = column;
    }
  }

  void draw_gap(const HeapRegion& below, const HeapRegion& above, double y) {
    std::string text = below.ledger == above.ledger
                           ? human_bytes(above.begin - below.end) + " left out"
                           : "another process";
    svg_.line(plot_.x, y - kGap / 2, plot_.right(), y - kGap / 2, "axis dashed");
    double middle = plot_.x + plot_.width / 2;
    double width = width_of(text, kSmallFont) + 12;
    svg_.rect({middle - width / 2, y - kGap, width, kGap}, "page");
    svg_.text(middle, y - kGap / 2 + 4, text, "dim", Anchor::kMiddle);
  }

  Svg& svg_;
  Ledgers& ledgers_;
  Box box_;
  Box plot_;
  HeapMap map_;
};

}  // namespace

void draw_map(Svg& svg, const Box& box, Ledgers& ledgers, const PanelFacts& facts) {
  MapPanel(svg, box, ledgers, facts.used).draw();
}

}  // namespace heapledger
