// Names for the stacks of a process that is looked at again and again: each site is looked up once.
// What of() gives stays where it is, and as it is, for as long as this lives; so one thread may
// look at names while another learns new ones.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "analyzer/query/frames.h"
#include "cli/shared/opened.h"
#include "cores/live_heap.h"

namespace heapledger::cli::top {

struct SiteName {
  std::vector<const NamedFrame*> frames;  // the innermost first
  const NamedFrame* blamed = nullptr;     // the one that is no allocator or library; null: no stack
};

class SiteNames {
 public:
  explicit SiteNames(NameOptions options) : options_(std::move(options)) {}

  // Looks up those of `sites` (of the heap) that are not known yet, all at once.
  void learn(const cores::LiveHeap& heap, std::span<const uint32_t> sites);

  const SiteName* of(uint32_t site) const {
    return site < names_.size() && names_[site] != nullptr ? names_[site] : &none_;
  }

 private:
  NameOptions options_;
  SiteName none_;
  std::deque<NamedFrame> frames_;
  std::deque<SiteName> kept_;
  std::vector<const SiteName*> names_;  // by site
};

}  // namespace heapledger::cli::top
