#include "plots/panels.h"

#include <algorithm>

#include "text/text.h"

namespace heapledger {

Series series_for(const Series& series, double width) {
  return series.with_at_most(static_cast<size_t>(std::max(width, 16.0)));
}

double with_headroom(double largest) {
  return largest > 0 ? largest * 1.12 : 1;
}

void draw_markers(Svg& svg, const Axes& axes, const Overview& overview, bool texts) {
  constexpr size_t kMostLines = 300;
  const Box& box = axes.box();
  double free_from = box.x;
  size_t count = std::min(overview.markers.size(), kMostLines);
  for (size_t i = 0; i < count; ++i) {
    const Marker& marker = overview.markers[i];
    double x = axes.x(static_cast<double>(marker.time_ns));
    if (x > box.right()) continue;
    std::string name = escaped(marker.text);
    svg.line(x, box.y, x, box.bottom(), "dashed axis marker",
             name + " at " + human_duration(marker.time_ns),
             {{"text", name}, {"time-ns", exact(marker.time_ns)}});
    std::string shown = short_name(marker.text, 24);
    double width = width_of(shown, kSmallFont);
    double from = std::min(x - 2, box.right() + 10 - width);
    if (!texts || from < free_from) continue;
    svg.text(from, box.y - 4, shown, "dim");
    free_from = from + width + 6;
  }
}

double draw_key(Svg& svg, double x, double y, std::string_view classes, std::string_view text) {
  svg.rect({x, y - 9, 10, 10}, classes);
  svg.text(x + 15, y, text, "dim");
  return x + 15 + width_of(text, kSmallFont) + 12;
}

void draw_nothing(Svg& svg, const Box& box) {
  svg.text(box.x + box.width / 2, box.y + box.height / 2, "Nothing was allocated.", "dim",
           Anchor::kMiddle);
}

}  // namespace heapledger
