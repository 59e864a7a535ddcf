// What is in a ledger, as a person reads it.
#pragma once

#include <string>

#include "analyzer/ledger_facts.h"
#include "text/text.h"

namespace heapledger::cli::files {

std::string info_text(const LedgerFacts& ledger, const Style& style);

// How the process or its recording ended.
std::string ending(const LedgerFacts& ledger);

// The kind of machine: x86-64, AArch64, or its number.
std::string machine_name(uint32_t machine);

// The name of an entry's kind, empty for one this version does not know.
std::string kind_name(unsigned number);

}  // namespace heapledger::cli::files
