// What every function of the public header has in common: it is exported, and may be the very first
// thing of ours that runs, in somebody's constructor.
#pragma once

#include <heapledger.h>

#include "runtime/bootstrap/start.h"
#include "runtime/ledger/file.h"

#define HEAPLEDGER_EXPORTED extern "C" __attribute__((visibility("default")))

namespace heapledger::runtime {

// Whether there is a ledger that takes entries. False also while the runtime is being started.
inline bool is_recording() {
  return start() && ledger_status() == Status::kRecording;
}

}  // namespace heapledger::runtime
