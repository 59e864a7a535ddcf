#include "analyzer/ledger_facts.h"

#include <algorithm>

namespace heapledger {

void Totals::add(const Totals& other) {
  calls += other.calls;
  frees += other.frees;
  resizes += other.resizes;
  bytes += other.bytes;
  end_bytes += other.end_bytes;
  end_blocks += other.end_blocks;
  temporary_calls += other.temporary_calls;
  inherited_frees += other.inherited_frees;
  unmatched_frees += other.unmatched_frees;
  lost_frees += other.lost_frees;
  missed += other.missed;
}

bool all_live(std::span<const LedgerFacts> ledgers) {
  return !ledgers.empty() && std::all_of(ledgers.begin(), ledgers.end(),
                                         [](const LedgerFacts& ledger) { return ledger.live; });
}

}  // namespace heapledger
