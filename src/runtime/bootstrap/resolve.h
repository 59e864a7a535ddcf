// Finds the allocator below ours: the next one in the link chain, or one that is loaded from a
// path. In a static program the linker has found it (resolve_static.cpp). Allocates as it likes:
// the caller serves that from the early arena.
#pragma once

#include "runtime/modes/real_heap.h"
#include "runtime/os/text.h"

namespace heapledger::runtime {

// Fills in real_heap from the link chain. False: something essential is missing.
bool resolve_real_heap();

// Fills in real_heap from the library at `path`. Null, or what went wrong; real_heap is untouched
// then. Its names stay its own: nobody else in the process will find them.
const char* load_real_heap(const char* path);

// The file that the real malloc is in; empty when that is the program itself.
const char* real_heap_library();

// Looks whether calls of the functions we stand for come to us at all: an executable with a malloc
// of its own is found before any library, and a library may be loaded before ours.
void find_bypass();
// What was found: the file that has them (empty: the executable) and their names, each followed by
// a zero byte; nothing when all calls come to us.
using BypassText = os::Text<4352>;
const BypassText& bypass();

// Makes the functions that an allocator lacks out of those it has, so that whatever is given out
// comes from one allocator. False: it has too little.
bool fill_gaps(RealHeap& heap);

// Of libc's variable __libc_single_threaded; null where it is missing.
const void* find_single_thread_word();

}  // namespace heapledger::runtime
