// What the cells of a count stand for that are no stacks: threads, classes, processes.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/ledger_facts.h"
#include "analyzer/query/answer.h"
#include "analyzer/query/cells.h"
#include "analyzer/query/filter.h"
#include "analyzer/query/question.h"

namespace heapledger {

// By number or name.
bool thread_fits(const Patterns& patterns, const ThreadFacts& thread);

void describe_thread(const ThreadId& id, const std::vector<ThreadFacts>& threads, Row& row);
void describe_class(GroupBy by, uint32_t number, Row& row);
void describe_process(uint32_t number, const LedgerFacts& facts, Row& row);

// Classes in their natural order.
void sort_classes(Answer& answer);

// Cells of threads in the order of their ids, whoever came first: that decides between equals.
void sort_threads(std::vector<ThreadId>& threads, Tallied& tallied);

}  // namespace heapledger
