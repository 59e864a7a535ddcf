// Statistics as the public header tells them: since the last clear, and as the difference between
// two moments of one thread.
#pragma once

#include <heapledger.h>

namespace heapledger::runtime {

// False: none are kept.
bool figures_now(heapledger_figures& figures, bool this_thread);

// At the beginning and at the end of a scope, in the same thread.
void remember_figures(heapledger_scope& scope);
bool figures_since(const heapledger_scope& scope, heapledger_scope_figures& figures);

}  // namespace heapledger::runtime
