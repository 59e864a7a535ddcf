// The stacks of an export with their figures, one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "exporters/exporter.h"

namespace heapledger {

struct ExportedStack {
  uint32_t site = 0;
  std::vector<NamedFrame> frames;  // innermost first, at least one
  Figures figures;
};

// Every site that the request selects, those with the most of its metric first. `wanted` is what
// the figures have besides. Returns the figures of all.
Figures for_each_stack(ExportRequest& request, const std::function<void(const ExportedStack&)>& use,
                       const Wanted& wanted = {});

// The same as rows, whose frames have not been looked up.
Answer ask_by_site(ExportRequest& request, const Wanted& wanted = {});

// The frames of a site; of one without a stack, a frame that says so.
std::vector<NamedFrame> frames_of(Ledgers& ledgers, uint32_t site);

}  // namespace heapledger
