// A whole page: what was recorded, and one panel or all of them.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/query.h"
#include "plots/svg.h"

namespace heapledger {

enum class PlotKind { kTime, kSites, kSizes, kLifetimes, kMap, kAll };

// "time", "sites", "sizes", "lifetimes", "map", "all". Throws Error that lists them.
PlotKind parse_plot_kind(std::string_view text);

struct PageOptions {
  PlotKind kind = PlotKind::kAll;
  size_t width = 0;  // 0: as it suits the kind
  size_t height = 0;
  size_t top = 10;  // places or parts, up to kSeriesColours
  Scheme scheme = Scheme::kAuto;
  std::string heap;  // that is looked at, for the heading; empty: malloc's
};
inline constexpr size_t kLeastWidth = 480;
inline constexpr size_t kMostPixels = 8192;  // of each side

// One side of a picture; 0: as usual. Throws Error that names the option.
size_t checked_side(size_t given, size_t usual, size_t least, const char* option);

// With its size filled in. Throws Error when that is too small for what is to be on the page.
PageOptions sized(PageOptions options);

// `options` as sized() gives them.
std::string draw_page(Ledgers& ledgers, const PageOptions& options);

// The head of every picture: the command, and the figures that everybody asks for first. Returns
// where the rest begins.
double draw_heading(Svg& svg, Ledgers& ledgers, double width, const std::string& heap);

}  // namespace heapledger
