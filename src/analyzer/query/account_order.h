// The accounts in the order of a walk over all calls, from the outermost inwards: those at a call
// come first, then those of each call inside it. So what a call leads to is a stretch of them, and
// sums up to any place in the order are sums of every call.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/site_catalog.h"

namespace heapledger {

// Places from the first one up to before the end.
struct AccountStretch {
  uint32_t first = 0;
  uint32_t end = 0;
  bool empty() const { return first == end; }
  bool operator==(const AccountStretch&) const = default;
};

class AccountOrder {
 public:
  // `sites`: by account. Not needed afterwards.
  AccountOrder(const SiteCatalog& catalog, const std::vector<uint32_t>& sites);

  // Those at a site and all that it leads to.
  AccountStretch inside(uint32_t site) const { return stretches_[site]; }
  // Those at the site alone.
  AccountStretch at(uint32_t site) const {
    AccountStretch own{stretches_[site].first, stretches_[site].first};
    while (own.end < stretches_[site].end && sites_[own.end] == site) ++own.end;
    return own;
  }

  // By place.
  const std::vector<uint32_t>& accounts() const { return accounts_; }
  std::span<const uint32_t> accounts(AccountStretch stretch) const {
    return std::span(accounts_).subspan(stretch.first, stretch.end - stretch.first);
  }
  // By account.
  const std::vector<uint32_t>& places() const { return places_; }

 private:
  std::vector<AccountStretch> stretches_;  // by site
  std::vector<uint32_t> accounts_;         // by place
  std::vector<uint32_t> places_;           // by account
  std::vector<uint32_t> sites_;            // by place
};

}  // namespace heapledger
