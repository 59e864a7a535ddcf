// One small ledger that uses every kind of entry, the same every time: what the golden texts show.
#pragma once

#include <string>

namespace heapledger::test {

std::string example_ledger();

// A process forked from the one above; its parent is called "example.42.ledger".
std::string example_child();

}  // namespace heapledger::test
