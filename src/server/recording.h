// What a page shows first of a recording, and goes on to ask from: the overview as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "server/opening.h"
#include "text/json_text.h"

namespace heapledger::server {

// Needs no pass over ledgers whose overview was read.
Json recording_json(const Shown& shown);

// The first of it: what was recorded, and how much there was. All that is told of a recording that
// another is compared with.
Json title_json(const Shown& shown);

// What there is an answer to without reading anything again: to be put over the other.
Json index_json(Ledgers& ledgers);

// The threads of all ledgers have numbers: their places in the list that a page is told.
class ThreadNumbers {
 public:
  explicit ThreadNumbers(const std::vector<LedgerFacts>& ledgers);

  // Null: nobody knows it.
  Json of_place(uint32_t ledger, uint32_t place) const;  // in LedgerFacts::threads
  Json of_tid(uint32_t ledger, uint64_t tid) const;

 private:
  std::vector<uint32_t> first_;  // by ledger, and the end
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> by_tid_;
};

}  // namespace heapledger::server
