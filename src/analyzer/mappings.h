// What a program has mapped itself, from the entries of maps=on: which address ranges, by which
// site. Ranges may overlap those mapped before (then they replace them) and be given back in parts,
// also such that nobody mapped as far as we know. Sizes are in whole pages.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "format/entry_decoder.h"

namespace heapledger {

struct MappedSite {
  uint32_t site = 0;  // in the catalog
  uint64_t calls = 0;
  uint64_t bytes = 0;       // mapped by all of them
  uint64_t peak_bytes = 0;  // most at any moment
  uint64_t end_bytes = 0;   // mapped at the end
};

// Mapped bytes less unmapped ones are what is mapped at the end. mremap counts as both: it gives
// its old range back and maps the new one.
struct MappingFacts {
  bool recorded = false;  // it was asked for
  uint64_t map_calls = 0;
  uint64_t unmap_calls = 0;
  uint64_t remap_calls = 0;
  uint64_t break_calls = 0;  // brk and sbrk that moved the end of the data segment
  uint64_t mapped_bytes = 0;
  uint64_t unmapped_bytes = 0;  // also what a later mapping replaced
  uint64_t peak_bytes = 0;      // of several processes: the largest
  uint64_t peak_time_ns = 0;    // since the process's start
  uint64_t end_bytes = 0;
  std::vector<MappedSite> sites;  // by what they have mapped at their peak, the largest first

  void add(const MappingFacts& other);  // sites, too
  static void sort(std::vector<MappedSite>& sites);
};

class Mappings {
 public:
  // An entry of a kind that is ours; others, and nonsense, are not looked at.
  void note(const format::Entry& entry);

  // `Node` gives the site in the catalog for one of the ledger; `Time` nanoseconds for units.
  template <typename Node, typename Time>
  MappingFacts tell(Node node, Time time) const {
    MappingFacts facts = facts_;
    facts.peak_time_ns = facts.peak_bytes == 0 ? 0 : time(peak_time_);
    for (auto [site, tally] : sites_) {
      tally.site = node(site);
      facts.sites.push_back(tally);
    }
    MappingFacts::sort(facts.sites);
    return facts;
  }

 private:
  // No program has more: the kernel allows 65,530 unless told otherwise.
  static constexpr size_t kMaxRanges = 1 << 20;

  struct Range {
    uint64_t end;
    uint32_t site;
  };
  using Ranges = std::map<uint64_t, Range>;

  void map(uint64_t start, uint64_t bytes, uint32_t site, uint64_t time);
  void unmap(uint64_t start, uint64_t bytes);
  void split(uint64_t at);

  MappingFacts facts_;
  Ranges ranges_;                                   // by their start; none overlap
  std::unordered_map<uint32_t, MappedSite> sites_;  // by the ledger's number
  uint64_t peak_time_ = 0;
};

}  // namespace heapledger
