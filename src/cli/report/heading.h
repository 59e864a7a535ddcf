// The lines that open a view: whose ledgers these are, and which blocks and which time the
// figures below are about.
#pragma once

#include <string>

#include "analyzer/query.h"
#include "cli/asking/asked.h"
#include "cli/pages/page.h"

namespace heapledger::cli::report {

// The program or programs, when they ran and for how long.
void put_programs(Buffer& to, Ledgers& ledgers, const Page& page);

// "at the peak, 51.0 ms after the start", "between start and 2.00 s".
std::string moment_text(const Question& question, const Answer& answer);

// The same for a single moment.
std::string moment_text(const MomentSpec& moment, uint64_t time_ns);

// The same where ledgers may be live heaps, which have one moment alone.
std::string moment_text(Ledgers& ledgers, const Question& question, const Answer& answer);

// What a view begins with: the programs, the moment or range, the filter and the totals.
void put_scope(Buffer& to, Ledgers& ledgers, const Asked& asked, const Answer& answer,
               const Page& page);

}  // namespace heapledger::cli::report
