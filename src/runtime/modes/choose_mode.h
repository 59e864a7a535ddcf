// Which functions serve the hooks: the table from a mode's name to its functions, and the change
// from one to another while the program runs.
#pragma once

#include "runtime/modes/mode.h"
#include "settings/settings.h"

namespace heapledger::runtime {

// Never null.
const Mode* functions_of(settings::Mode mode);

}  // namespace heapledger::runtime
