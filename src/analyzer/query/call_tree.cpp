#include "analyzer/query/call_tree.h"

namespace heapledger {

CallTree::CallTree(const SiteCatalog& catalog)
    : begins_(catalog.size() + 1), sites_(catalog.size() - 1) {
  for (uint32_t site = 1; site < catalog.size(); ++site) ++begins_[catalog.parent_of(site) + 1];
  for (uint32_t site = 0; site < catalog.size(); ++site) begins_[site + 1] += begins_[site];
  std::vector<uint32_t> next(begins_.begin(), begins_.end() - 1);
  for (uint32_t site = 1; site < catalog.size(); ++site) {
    sites_[next[catalog.parent_of(site)]++] = site;
  }
}

}  // namespace heapledger
