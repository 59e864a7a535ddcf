// What accounts have besides their figures at a moment: what is left at the end.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>

#include "exporters/exporter.h"

namespace heapledger {

struct Unfreed {
  uint64_t bytes = 0;
  uint64_t blocks = 0;
};

// Of all sites that the request selects, less what is suppressed. Of a range there is none: its end
// is not that of the blocks.
class UnfreedBySite {
 public:
  UnfreedBySite(const ExportRequest& request, const Suppressions& suppressions);

  // nullptr: not known.
  const Unfreed* of(uint32_t site) const;
  const Unfreed& total() const { return total_; }

 private:
  bool known_;
  Unfreed total_;
  tsl::robin_map<uint32_t, Unfreed> sites_;
};

}  // namespace heapledger
