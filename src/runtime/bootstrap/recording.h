// Begins the recording of this process: reads the configuration, makes the ledger, introduces the
// process in it; and does so again in a forked child.
#pragma once

#include "runtime/bootstrap/config.h"

namespace heapledger::runtime {

// For a fresh image. False: no ledger; one line on stderr has said why.
bool begin_recording(const Config& config);

// The configuration out of the environment. False: HEAPLEDGER holds a word we do not know, and
// that has been said.
bool read_config(Config& config);

}  // namespace heapledger::runtime
