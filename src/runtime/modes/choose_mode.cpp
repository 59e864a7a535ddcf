#include "runtime/modes/choose_mode.h"

namespace heapledger::runtime {

const Mode* functions_of(settings::Mode mode) {
  switch (mode) {
    case settings::Mode::kTrace:
      return &kTraceMode;
    case settings::Mode::kCount:
    case settings::Mode::kLog:
    case settings::Mode::kSample:
    case settings::Mode::kOff:
      break;
  }
  return &kPassThroughMode;
}

}  // namespace heapledger::runtime
