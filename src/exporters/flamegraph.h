// A flame graph as one file that needs nothing else: SVG with a script inside, or a page of HTML
// with the same picture. The outermost functions (inverted: those that allocate) are on top, what
// they call below; a frame is as wide as its share. Every width and figure is that of the
// analyzer's tree. Without scripts it is still a picture, with all figures in its tooltips.
#pragma once

#include "exporters/exporter.h"
#include "exporters/picture_text.h"

namespace heapledger {

struct FlamegraphRequest {
  PictureRequest picture;
  bool html = false;
  bool inverted = false;
  uint32_t width = 0;         // in pixels; 0: that of the window, 1200 without scripts
  double least_share = 1e-3;  // narrower frames are left out
};

void write_flamegraph(ExportRequest& request, const FlamegraphRequest& wanted, Output& output);

}  // namespace heapledger
