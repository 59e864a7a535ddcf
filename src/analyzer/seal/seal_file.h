// Sealing on disk. The sealed ledger is written beside its place without a name (or, where the file
// system cannot do that, with a temporary one), flushed, checked, and only then put in the place of
// the other: whatever happens, even kill -9, there is a whole ledger under the name.
#pragma once

#include <string>

#include "analyzer/seal/sealer.h"

namespace heapledger::seal {

// Seals the ledger `path` into `target`, which may be `path` itself; mode, owner (where permitted)
// and times are kept. Throws Error: when somebody is writing to it, when the disk has no room, when
// it is sealed already, when another file is at `target`.
SealFacts seal_file(const std::string& path, const std::string& target, const SealOptions& options);

// Throws the Error of seal_file() when a program is still writing to that raw ledger: to be asked
// before any long work for sealing it.
void check_not_in_use(const std::string& path);

// Whether that file is a sealed ledger. Throws Error when it cannot be read or is no ledger.
bool is_sealed_file(const std::string& path);

// Puts symbols into a sealed ledger in the place of those it had. The same promises.
void replace_symbols(const std::string& path, const std::string& symbols);

}  // namespace heapledger::seal
