// In a static program. It has one module, which the list of modules knows from the start: there is
// nothing to ask a loader for.
#include "runtime/unwind/loader_lookup.h"

// Weak: taken when the program has them, and no reason to bring them in.
extern "C" {
#pragma weak _Unwind_Backtrace
#pragma weak _Unwind_GetIPInfo
#pragma weak _Unwind_GetCFA
}

namespace heapledger::runtime {

void* find_object_function() {
  return nullptr;
}

Reference find_reference() {
  Reference reference;
  reference.backtrace = _Unwind_Backtrace;
  reference.ip_info = _Unwind_GetIPInfo;
  reference.cfa = _Unwind_GetCFA;
  return reference;
}

}  // namespace heapledger::runtime
