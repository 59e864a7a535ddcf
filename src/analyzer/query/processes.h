// Which processes a question is about, and which of them share a row: by rank, host or job.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/ledger_facts.h"
#include "analyzer/query/answer.h"
#include "analyzer/query/question.h"

namespace heapledger {

using FactsOf = std::function<const LedgerFacts&(uint32_t ledger)>;

// By ledger, or nothing: all.
std::vector<char> chosen_processes(const Question& question, size_t ledgers, const FactsOf& facts);

bool is_by_process(GroupBy by);

// Numbered as the first ledger of each comes.
struct ProcessGroups {
  std::vector<uint32_t> of_ledger;
  std::vector<uint32_t> first;  // by group: a ledger that is in it
};
ProcessGroups group_processes(GroupBy by, size_t ledgers, const FactsOf& facts);

// A row by rank, host or job, by any process in it.
void describe_process_group(GroupBy by, const LedgerFacts& facts, Row& row);

}  // namespace heapledger
