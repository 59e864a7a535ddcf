// What pictures of ledgers have in common: their headings, values as people read them, and names
// made harmless. Names come from the recorded program; nothing in them may leave its place in a
// picture or be obeyed by what shows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "exporters/exporter.h"

namespace heapledger {

// What a user can ask of every picture.
struct PictureRequest {
  std::string title;   // empty: the name of the program
  std::string filter;  // as it was given, for the heading
};

// Two lines over a picture, printable.
struct PictureHeading {
  std::string title;
  std::string what;  // the metric, the moment, the total
};

PictureHeading heading_of(ExportRequest& request, const PictureRequest& picture, uint64_t total);

// "126.3 KiB", "1,234 calls", "1.2 ms".
std::string value_text(uint64_t value, Metric metric);

// "126.3 KiB (129,381 bytes)" where the first is rounded.
std::string exact_text(uint64_t value, Metric metric);

// 0.0012 as "0.12%", without zeros at the end.
std::string share_text(double share);

// Control characters and bytes that are no UTF-8 as \x1b; not longer than a name can be read.
std::string shown_name(std::string_view name);

// "libc.so.6" of a path.
std::string_view base_name(std::string_view path);

}  // namespace heapledger
