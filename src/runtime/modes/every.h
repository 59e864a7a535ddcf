// every=TIME: a marker in the ledger and a line in the summary file, so often. Driven by the hooks,
// where memory samples are taken: no thread, no timer, so a program that does not use the heap
// gets its line when it next does (summarize_when_due, in ledger/layers_above.h). At most one line
// for 10 ms.
//
// The file is text, a line of names first, then tab-separated numbers. It is opened for each line
// and closed again.
#pragma once

#include <cstdint>

#include "format/layout.h"
#include "runtime/ledger/naming.h"
#include "runtime/ledger/window.h"

namespace heapledger::runtime {

// A ledger was made; lines go to `path` from now on.
void begin_summary(const PathText& path);

// The last line, when the process exits.
void end_summary();

}  // namespace heapledger::runtime
