#include "analyzer/query/operations.h"

#include "analyzer/error.h"
#include "analyzer/query.h"
#include "analyzer/query/ledgers_parts.h"
#include "analyzer/query/operations_book.h"

namespace heapledger {

LeftOut Ledgers::operations(uint32_t ledger, const std::function<void(const Operation&)>& use) {
  Turn turn(*this);
  parts_->read();
  LedgerSet& set = parts_->set;
  if (ledger >= set.size()) throw Error("there is no such ledger", ErrorKind::kQuestion);
  // Blocks of other processes make no difference, so those are not scanned.
  OperationsBook book(use, set.clock(ledger), parts_->sites);
  Progress progress(own_->asker);
  set.scan_one(ledger, book, progress);
  return book.finish();
}

}  // namespace heapledger
