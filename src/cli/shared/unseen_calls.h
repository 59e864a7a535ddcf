// What to say of a ledger to which calls could not come, because another file has the functions.
#pragma once

#include <string>

#include "analyzer/ledger_facts.h"

namespace heapledger::cli {

// What is so and why, as the end of a sentence: "no call could be seen: …".
std::string unseen_calls(const LedgerFacts& ledger);

// What to do: one sentence.
std::string unseen_remedy(const LedgerFacts& ledger);

}  // namespace heapledger::cli
