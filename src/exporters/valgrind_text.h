// What the formats of Valgrind's tools have in common: how a frame and a command are written. All
// texts are on one line, and nothing in them is obeyed by a terminal.
#pragma once

#include <string>

#include "analyzer/query.h"

namespace heapledger {

// "0x1234: function (file.c:12)", or "(in /path/of/module)" where no line is known.
std::string valgrind_frame(const NamedFrame& frame);

// The commands of all processes.
std::string valgrind_command(Ledgers& ledgers);

}  // namespace heapledger
