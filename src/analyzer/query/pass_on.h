// Finds the functions that only pass on what the allocator gives them, by what they do: a program's
// own zmalloc or grow_buffer, which no list knows. They always stand right above the allocator, in
// few places, and are called from many; what is allocated is their callers'.
#pragma once

#include "analyzer/query/stack_names.h"

namespace heapledger {

// Counts them as wrappers, and gives their names: texts. Looks at stacks alone, so it finds the
// same whatever is asked about them.
std::vector<uint32_t> find_those_that_pass_on(StackNames& names);

}  // namespace heapledger
