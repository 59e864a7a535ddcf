// The allocator below us: the next definition of each function in the link chain. Filled in once
// at the start; tests fill in their own.
#pragma once

#include <cstddef>

#include "format/functions.h"
#include "runtime/modes/heap_functions.h"

namespace heapledger::runtime {

struct RealHeap {
#define X(id, result, name, parameters, arguments) result(*name) parameters;
  HEAPLEDGER_REAL_FUNCTIONS(X)
#undef X
};
extern RealHeap real_heap __attribute__((visibility("hidden")));

// The member of RealHeap that is a function's.
template <format::Function function>
inline constexpr auto kRealMember = nullptr;
#define X(id, result, name, parameters, arguments) \
  template <>                                      \
  inline constexpr auto kRealMember<format::Function::id> = &RealHeap::name;
HEAPLEDGER_REAL_FUNCTIONS(X)
#undef X

}  // namespace heapledger::runtime
