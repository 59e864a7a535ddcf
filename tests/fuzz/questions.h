// A few fixed questions that the fuzzers put to whatever they have made up: every way in which
// blocks are grouped and counted, at moments that need a pass of their own.
#pragma once

#include "analyzer/query.h"

namespace heapledger::fuzz {

// A refusal of one question does not keep the others from being put. Stops the program when two
// answers contradict each other.
void ask_everything(Ledgers& ledgers);

}  // namespace heapledger::fuzz
