// Advice as a person reads it: numbered findings, each a short note.
#pragma once

#include <string>

#include "advice/advice.h"
#include "cli/pages/page.h"

namespace heapledger::cli::advise {

// `ledgers`: for the stacks of findings, and what was recorded.
std::string advice_text(const Advice& advice, Ledgers& ledgers, const Page& page);

// "replayed without them: 12% (±2%) less time in the allocator"
std::string effect_words(const Finding& finding);

// "saves up to 9,000 calls (45.2%), 1.2 MiB at the peak (3.0%)"; empty if nothing is known.
std::string saved_words(const Finding& finding, const Advice& advice);

}  // namespace heapledger::cli::advise
