// The object at an address by the kernel's list of mappings (/proc/self/maps), for a libc that
// cannot tell without a lock. Slow, a few system calls, and asked at most once per object: an
// address that is in none is asked about less and less often.
#pragma once

#include <cstdint>

namespace heapledger::runtime {

struct LoadedObject;

// False: no object is there, or the list cannot be read. The name is copied to memory that stays
// only if it is wanted.
bool object_in_mappings(uint64_t pc, bool want_name, LoadedObject& object);

}  // namespace heapledger::runtime
