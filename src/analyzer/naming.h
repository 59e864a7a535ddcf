// Names for the frames of opened ledgers: what is stored in them, and for the rest what this
// machine has (debug information, symbol tables). A ledger that was sealed elsewhere so shows here
// what it showed there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbols/resolve.h"
#include "symbols/symbol_table.h"

namespace heapledger {

class SiteCatalog;
struct ModuleFacts;

// The symbols stored in the ledgers at `paths`; ledgers without any, or that cannot be read, give
// none.
std::vector<SymbolTable> stored_symbols(const std::vector<std::string>& paths);

// A table with a name for every frame of `sites`: stored ones first, the rest resolved.
SymbolTable name_sites(const SiteCatalog& sites, const std::vector<SymbolTable>& stored,
                       const ResolveOptions& options);

// The same with every name looked up anew; stored ones stay for the modules of which this machine
// knows less than was known when they were stored.
SymbolTable refresh_names(const SiteCatalog& sites, const std::vector<SymbolTable>& stored,
                          const ResolveOptions& options);

// Of the names for several ledgers, those that one of them needs.
class SymbolShares {
 public:
  // Both must outlive this.
  SymbolShares(const SiteCatalog& sites, const SymbolTable& names);

  // The names in `modules`, as bytes for the ledger that has them.
  std::string encode_for(const std::vector<ModuleFacts>& modules) const;

 private:
  const SymbolTable& names_;
  std::vector<ModuleAddresses> addresses_;
};

}  // namespace heapledger
