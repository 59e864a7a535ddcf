// Looks symbols up as dlsym does, without what that does to the program.
//
// In glibc before 2.34 a thread's first look-up allocates, each one takes away what dlerror() would
// have told the program, and one that fails leaves a text behind that the thread's next one frees,
// through an allocator that may be looking something up itself. So there all of ours are done at
// the start, and none that would fail.
#pragma once

namespace heapledger::runtime::os {

// Whether this is such a libc.
bool looking_up_allocates();

// `scope` is RTLD_DEFAULT, RTLD_NEXT or a library. Null: there is none.
void* look_up(void* scope, const char* name);

}  // namespace heapledger::runtime::os
