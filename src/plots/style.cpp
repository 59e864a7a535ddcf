// The colours. Those of series are ones that people with any kind of colour vision can tell apart,
// after Okabe and Ito, then a few darker ones; levels go from near the background to far from it.
#include <fmt/format.h>

#include <array>

#include "plots/svg.h"

namespace heapledger {
namespace {

struct Palette {
  const char* page;
  const char* ink;
  const char* dim;
  const char* grid;
  const char* live;
  const char* rss;
  const char* calls;
  const char* bytes;
  const char* rest;
  std::array<const char*, kSeriesColours> series;
  std::array<const char*, kLevels> levels;
};

constexpr Palette kLight = {
    "#ffffff",
    "#1a1a1a",
    "#5c5c5c",
    "#e2e2e2",
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#a8568a",
    "#bdbdbd",
    {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#d9cb1e", "#332288",
     "#999933", "#882255", "#44aa99", "#8c510a"},
    {"#d3e4f3", "#b4d2ea", "#8fbcdf", "#69a5d1", "#468cc0", "#2971a9", "#13538b", "#06346a"},
};

constexpr Palette kDark = {
    "#16191d",
    "#ececec",
    "#a3a9b0",
    "#30353c",
    "#56b4e9",
    "#f0904a",
    "#2fbf97",
    "#d795ba",
    "#6a7078",
    {"#3d9fdb", "#e69f00", "#1fb58b", "#cc79a7", "#8fd0f5", "#e5703a", "#f0e442", "#8d7be0",
     "#b3b34d", "#c45a8a", "#5fc4b4", "#c08a4a"},
    {"#2c3157", "#374a80", "#366797", "#2f859f", "#2fa29b", "#54be85", "#9bd566", "#f3e550"},
};

std::string rules(const Palette& palette) {
  std::string css = fmt::format(
      ".page{{fill:{}}}text{{fill:{}}}.dim{{fill:{}}}.grid{{stroke:{}}}.axis{{stroke:{}}}\n",
      palette.page, palette.ink, palette.dim, palette.grid, palette.dim);
  auto kind = [&css](const char* name, const char* colour) {
    css += fmt::format(".{0}-fill{{fill:{1}}}.{0}-line{{stroke:{1}}}", name, colour);
  };
  kind("live", palette.live);
  kind("rss", palette.rss);
  kind("calls", palette.calls);
  kind("bytes", palette.bytes);
  kind("ink", palette.ink);
  kind("rest", palette.rest);
  css += fmt::format("\n.slot{{fill:{}}}.halo{{stroke:{}}}\n", palette.grid, palette.page);
  for (size_t i = 0; i < palette.series.size(); ++i) {
    css += fmt::format(".s{0}{{fill:{1}}}.s{0}-line{{stroke:{1}}}", i, palette.series[i]);
  }
  css += "\n";
  for (size_t i = 0; i < palette.levels.size(); ++i) {
    css += fmt::format(".d{}{{fill:{}}}", i + 1, palette.levels[i]);
  }
  return css + "\n";
}

constexpr const char* kShapes =
    "text{font-family:'DejaVu Sans',Verdana,'Noto Sans',sans-serif;font-size:11px}\n"
    ".title{font-size:17px;font-weight:bold}.name{font-size:13px;font-weight:bold}\n"
    ".clock{font-size:20px}\n"
    ".grid,.axis{stroke-width:1;shape-rendering:crispEdges}\n"
    ".strong{stroke-width:1.5;fill:none}.thin{stroke-width:1;fill:none}\n"
    ".dashed{stroke-width:1;stroke-dasharray:3 3;fill:none}\n"
    ".pale{fill-opacity:0.35}.half{fill-opacity:0.6}\n"
    ".crisp{shape-rendering:crispEdges}\n"
    ".halo{stroke-width:3;paint-order:stroke;stroke-linejoin:round}\n";

}  // namespace

std::string style_sheet(Scheme scheme) {
  std::string css = kShapes;
  css += rules(scheme == Scheme::kDark ? kDark : kLight);
  if (scheme == Scheme::kAuto) {
    css += "@media (prefers-color-scheme:dark){\n" + rules(kDark) + "}\n";
  }
  return css;
}

}  // namespace heapledger
