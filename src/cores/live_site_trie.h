// Builds the sites of a live heap: stacks share what they have in common from the outermost frame
// on.
#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cores/live_heap.h"

namespace heapledger::cores {

class LiveSiteTrie {
 public:
  // Adds to `sites`, whose first element stands for "none" and for the root.
  explicit LiveSiteTrie(std::vector<LiveSite>& sites) : sites_(sites) {}

  // The site of a frame that was called from `parent`; `parent` itself when there is no number
  // left.
  uint32_t below(uint32_t parent, uint64_t pc) {
    if (sites_.size() >= UINT32_MAX) return parent;
    auto [entry, added] = numbers_.try_emplace({parent, pc}, static_cast<uint32_t>(sites_.size()));
    if (added) {
      LiveSite site;
      site.pc = pc;
      site.parent = parent;
      sites_.push_back(site);
    }
    return entry->second;
  }

 private:
  struct Step {
    uint32_t parent;
    uint64_t pc;

    bool operator==(const Step& other) const = default;
  };
  struct StepHash {
    size_t operator()(const Step& step) const {
      uint64_t hash = (step.pc ^ uint64_t{step.parent} << 40) * 0x9E3779B97F4A7C15u;
      hash = (hash ^ hash >> 32 ^ step.parent) * 0xD6E8FEB86659FD93u;
      return static_cast<size_t>(hash ^ hash >> 32);
    }
  };

  std::vector<LiveSite>& sites_;
  tsl::robin_map<Step, uint32_t, StepHash> numbers_;
};

}  // namespace heapledger::cores
