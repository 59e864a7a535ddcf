// The tables of count mode: each thread gets one at its first call, in an extent of the ledger that
// is mapped shared. When all are taken, a new thread goes on counting in the table of one that is
// gone; when all of those live, in one that all such threads share. Nothing is ever lost.
#pragma once

#include "format/count_table.h"

namespace heapledger::runtime {

// Finds the calling thread a table: thread_slot.counts, which stays null where there is none to be
// had. Called in the process that made the ledger, not in a fork of it.
void take_count_table();

// For a thread without a table: of all such threads, to be added to with add_shared. Null: there
// is no ledger, or no room in it.
format::CountTable* shared_count_table();

// The calling thread gets an entry, so that it is not told of by its table alone.
void thread_is_entered();

// The thread may have got another name since.
void refresh_count_name(format::CountTable& table);

// After a fork, before the parent's ledger is forgotten.
void forget_count_tables();

}  // namespace heapledger::runtime
