// What the first pass over some heaps has found, and which questions that is enough for. Does not
// change any more once it was read: several threads may look.
#pragma once

#include <string>
#include <vector>

#include "analyzer/closed_accounts.h"
#include "analyzer/heaps.h"
#include "analyzer/overview_book.h"
#include "analyzer/query/cells.h"
#include "analyzer/query/overview.h"
#include "analyzer/query/question.h"
#include "analyzer/query/tally.h"

namespace heapledger {

struct HeapView {
  HeapChoice heaps;
  Overview overview;
  ClosedAccounts accounts;
  OverviewBook::Peaks peaks;
};

// What blocks are told apart by.
CellKey key_of(const Question& question);

// Histograms of them have to be counted.
bool wants_lifetimes(const Question& question);

// Questions of which Wanted::no_range_peaks leaves the peaks out: those that only a pass knows.
bool leaves_peaks_out(const Question& question);

// Neither histograms nor peaks of groups that overlap.
bool wants_sums_alone(const Question& question);

// Of so many ledgers: the accounts have all that is asked for, or all but what is live at the
// moment.
bool is_in_overview(const Question& question, size_t ledgers);
bool is_in_accounts(const Question& question, size_t ledgers);

// What is live of an account at a moment that the overview knows.
struct AccountLive {
  uint64_t blocks = 0;
  uint64_t bytes = 0;
};
AccountLive live_of(const Question& question, const HeapView& view, uint32_t account);

// The common peak, where it is that of what is asked about.
void tally_peak(const Question& question, const HeapView& view, Tallied& tallied);

// What they have, by account.
Tallied tally_accounts(const Question& question, const HeapView& view);

// When a moment is. Throws Error for an unknown marker.
Watch resolve(const MomentSpec& moment, const HeapView& view);
[[noreturn]] void refuse_marker(const std::string& name, const std::vector<Marker>& known);

}  // namespace heapledger
