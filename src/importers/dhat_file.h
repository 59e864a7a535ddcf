// What a file of DHAT holds: JSON, version 2. Throws Error on whatever is not that; every number in
// it is small enough to be added to others, and every frame that a point names is there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "importers/dhat_point.h"
#include "importers/line_source.h"

namespace heapledger {

struct DhatFile {
  std::string command;
  uint64_t peak_ns = 0;
  uint64_t end_ns = 0;
  std::vector<DhatPoint> points;
  std::vector<std::string> frames;  // texts
};

bool is_dhat(std::string_view beginning);

DhatFile read_dhat(LineSource& lines);

}  // namespace heapledger
