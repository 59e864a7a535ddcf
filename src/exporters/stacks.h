// The stacks of an export with their figures, one after the other.
#pragma once

#include <cstddef>
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

// Asks for the metric of the request: what is never freed is asked for less what is suppressed.
Answer ask_for_metric(ExportRequest& request, const Question& question);

// The frames of a site; of one without a stack, a frame that says so.
std::vector<NamedFrame> frames_of(Ledgers& ledgers, uint32_t site);

// As in collapsed stacks, from the outermost inwards; what looks like a separator inside a name is
// replaced.
std::string joined_stack(const std::vector<NamedFrame>& frames, const std::string& separator);

// Which of the frames of a site is the one to blame; 0 where there is no stack.
size_t owner_place(Ledgers& ledgers, uint32_t site, const std::vector<NamedFrame>& frames);

}  // namespace heapledger
