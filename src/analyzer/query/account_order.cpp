#include "analyzer/query/account_order.h"

namespace heapledger {

// Parents have lower numbers, so two sweeps do for a walk.
AccountOrder::AccountOrder(const SiteCatalog& catalog, const std::vector<uint32_t>& sites)
    : stretches_(catalog.size()),
      accounts_(sites.size()),
      places_(sites.size()),
      sites_(sites.size()) {
  std::vector<uint32_t> own(catalog.size());
  for (uint32_t site : sites) ++own[site];
  std::vector<uint32_t> next = own;  // at first: how many there are inside; then: where they go
  for (uint32_t site = catalog.size(); site-- > 1;) next[catalog.parent_of(site)] += next[site];
  for (uint32_t site = 0; site < catalog.size(); ++site) {
    const uint32_t count = next[site];
    uint32_t first = 0;
    if (site != SiteCatalog::kRoot) {
      first = next[catalog.parent_of(site)];
      next[catalog.parent_of(site)] += count;
    }
    stretches_[site] = {first, first + count};
    next[site] = first + own[site];
  }
  for (uint32_t site = 0; site < catalog.size(); ++site) next[site] = stretches_[site].first;
  for (uint32_t account = 0; account < sites.size(); ++account) {
    const uint32_t place = next[sites[account]]++;
    accounts_[place] = account;
    places_[account] = place;
    sites_[place] = sites[account];
  }
}

}  // namespace heapledger
