// The program's environment, as far as it can be read before libc has set it up: the first hook
// may come that early.
#pragma once

namespace heapledger::runtime {

// The value of a variable, or null. The text may be the program's own: it is not kept.
const char* environment(const char* name);

}  // namespace heapledger::runtime
