// Finds the functions below ours in the link chain.
#pragma once

namespace heapledger::runtime {

// Fills in real_heap. dlsym may allocate meanwhile: the caller serves that from the early arena.
// False: something essential is missing.
bool resolve_real_heap();

// The next definition of another function that we hook.
void* next_definition(const char* name);

}  // namespace heapledger::runtime
