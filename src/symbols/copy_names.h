// Names from one table to another.
#pragma once

#include "symbols/resolve.h"
#include "symbols/symbol_table.h"

namespace heapledger {

// Copies what `from` knows about the module's addresses, and where it has that from; the addresses
// it does not know stay in `wanted`. False: it does not know the module.
bool copy_names(const SymbolTable& from, ModuleAddresses& wanted, SymbolTable& to);

}  // namespace heapledger
