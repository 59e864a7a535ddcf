// The panels of a page: each draws one kind of chart into a box. They show what the ledgers answer,
// asked for all of them together, and put the exact figures into data attributes and titles.
#pragma once

#include <string>
#include <vector>

#include "analyzer/query.h"
#include "analyzer/query/used_addresses.h"
#include "plots/axes.h"
#include "plots/svg.h"

namespace heapledger {

struct PanelFacts {
  GroupsOverTime owners;  // lines to blame or …
  bool by_part = false;   // … parts of the program
  Answer sizes;           // by their classes, at the peak
  Answer lifetimes;
  std::vector<UsedAddresses> used;  // by process
};

// Live bytes, resident memory and rates over time, with the peak and the program's markers.
void draw_time(Svg& svg, const Box& box, Ledgers& ledgers);

// The sites that have most at the peak, over time, one upon the other.
void draw_sites(Svg& svg, const Box& box, Ledgers& ledgers, const PanelFacts& facts);

// Calls, bytes and what is live at the peak, by size.
void draw_sizes(Svg& svg, const Box& box, Ledgers& ledgers, const PanelFacts& facts);

// Calls by how long the block lived.
void draw_lifetimes(Svg& svg, const Box& box, Ledgers& ledgers, const PanelFacts& facts);

// Addresses by time. One pass.
void draw_map(Svg& svg, const Box& box, Ledgers& ledgers, const PanelFacts& facts);

// For panels over time -----------------------------------------------------------------------

// One value of each bucket.
template <typename Get>
std::vector<double> values_of(const Series& series, Get&& get) {
  std::vector<double> values;
  values.reserve(series.buckets.size());
  for (const SeriesBucket& bucket : series.buckets)
    values.push_back(static_cast<double>(get(bucket)));
  return values;
}

// As many buckets as can be seen.
Series series_for(const Series& series, double width);

// The top of a scale with some room above the largest value.
double with_headroom(double largest);

// The program's markers: a dashed line for each; their texts above the box, where there is room.
void draw_markers(Svg& svg, const Axes& axes, const Overview& overview, bool texts);

// A small box with a colour, and what it stands for. Returns where the next may begin.
double draw_key(Svg& svg, double x, double y, std::string_view classes, std::string_view text);

// "Nothing was allocated." in the middle of the box.
void draw_nothing(Svg& svg, const Box& box);

// The exact number, for data attributes.
inline std::string exact(uint64_t value) {
  return std::to_string(value);
}

}  // namespace heapledger
