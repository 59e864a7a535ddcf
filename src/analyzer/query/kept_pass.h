// The first pass over sealed ledgers, kept for the next command: what the overview says, the
// account of every site, and which site each account is of. Names are not in it, nor stacks: the
// ledgers' notes have them, which are read quickly (brief.h).
//
// Written and read by the same build of the tool, which the sign of a kept file makes sure of;
// so plain structures are kept as they are in memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/ledger_set.h"
#include "analyzer/query/brief.h"
#include "analyzer/query/ledgers_parts.h"

namespace heapledger {

// Nothing when the pass has found something that is not kept: other heaps than malloc's, live
// heaps, damaged blocks, changes of the mode, problems.
std::optional<std::string> pack_pass(const HeapView& view, LedgerSet& set);

// The other way round, with the notes of all the ledgers read already. False, with `view` in no
// certain state, when the bytes are not of these ledgers.
bool unpack_pass(std::string_view bytes, LedgerSet& set, std::vector<Brief>& briefs,
                 HeapView& view);

}  // namespace heapledger
