// The first sentence of a report, and the totals under it.
#pragma once

#include <string>

#include "analyzer/query.h"
#include "cli/pages/page.h"

namespace heapledger::cli::report {

// Whether the calls went to a log and not into the ledgers.
bool is_log(const Overview& overview);

// "Peak 1.2 GiB at 12.30 s, 63% of it from 3 sites; 41.0 MiB never freed; 38% of calls temporary."
std::string findings(Ledgers& ledgers, const NeverFreed& never_freed, bool raw);

// "63% of it from 3 places": as few of them as hold half of what is live.
std::string sites_phrase(const Answer& answer, GroupBy by);

// Calls, bytes, resident memory, frees that need a word, and calls by function.
void put_totals(Buffer& to, Ledgers& ledgers, const Page& page);

}  // namespace heapledger::cli::report
