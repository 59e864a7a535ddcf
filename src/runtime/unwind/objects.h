// Which executable or shared object is at an address, asked from inside a heap hook: no lock is
// taken, nothing is allocated. The answer holds for as long as the object cannot go away, which is
// certain for code that is on the caller's stack.
//
// glibc 2.35 and later answer by _dl_find_object. For others there is the kernel's list of mappings
// (mappings.h): dl_iterate_phdr would wait for a lock that another thread may hold while it waits
// for us.
#pragma once

#include <link.h>

#include <cstdint>

#include "runtime/unwind/build_id.h"
#include "runtime/unwind/cfi_find.h"

namespace heapledger::runtime {

// An object as it is mapped.
struct LoadedObject {
  uint64_t start = 0;  // of its loaded segments
  uint64_t end = 0;
  uint64_t bias = 0;                     // what its addresses are shifted by
  const ElfW(Phdr) * headers = nullptr;  // in its own memory
  uint32_t header_count = 0;
  const char* name = nullptr;  // empty for the executable
};

// Finds _dl_find_object; once, at the start. `by_mappings`: does without it, for tests.
void prepare_objects(bool by_mappings);

// The object around `pc`. Its name, if not wanted, may be missing: where the kernel's list is asked
// each name takes memory for good.
bool object_around(uint64_t pc, LoadedObject& object, bool want_name = true);

// A number that is another one when another object has taken the place of the one that is around
// `pc`, found at little cost: what the loader has there, its name and build id. `build` is where
// the latter was. 0: it takes a closer look.
uint64_t sign_at(uint64_t pc, const BuildId& build);

// Where the unwind information of the code at `pc` is.
bool unwind_information_at(uint64_t pc, CfiModule& module);
// The same for an object that is known already.
bool unwind_information_of(const LoadedObject& object, CfiModule& module);

// Whether _dl_find_object is at hand.
bool loader_answers();

// Sets start and end from the loaded segments; false if there are none.
bool set_extent(LoadedObject& object);

}  // namespace heapledger::runtime
