// The one ledger that is played, of those that a user named.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyzer/query.h"
#include "cli/replay/options.h"
#include "cli/shared/live_ledgers.h"

namespace heapledger::cli::replay {

class ReplayLedger {
 public:
  // Throws Error when none can be read, when there are several and none is chosen (with a list of
  // them), or when the one that is chosen cannot be played.
  explicit ReplayLedger(const ReplayOptions& options);

  Ledgers& ledgers() { return *ledgers_; }
  uint32_t number() const { return number_; }
  const LedgerFacts& facts() { return ledgers_->facts()[number_]; }

  // Says on stderr what is wrong with it. Returns the exit status that calls for.
  int warn();

 private:
  PlainLedgers plain_;
  std::unique_ptr<Ledgers> ledgers_;
  uint32_t number_ = 0;
};

// Which of several; throws Error as above.
uint32_t chosen_ledger(const std::vector<LedgerFacts>& ledgers, const ReplayOptions& options);

}  // namespace heapledger::cli::replay
