// The sites of a catalogue from the outside in: which of them are one call further in than another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/site_catalog.h"

namespace heapledger {

class CallTree {
 public:
  explicit CallTree(const SiteCatalog& catalog);

  // Of the catalogue that it was made of. When that has grown since, another one is needed.
  uint32_t size() const { return static_cast<uint32_t>(begins_.size()) - 1; }

  // In the order of their numbers.
  std::span<const uint32_t> inside(uint32_t site) const {
    return {sites_.data() + begins_[site], sites_.data() + begins_[site + 1]};
  }

 private:
  std::vector<uint32_t> begins_;  // by site: where those inside begin; one more than sites
  std::vector<uint32_t> sites_;
};

}  // namespace heapledger
