// What we have mapped ourselves: so that whoever looks at the program's memory can leave it out.
// Some hundreds of mappings are remembered; one that finds no place counts as the program's.
//
// Thread safety: all of it, no lock. Whoever looks while another thread maps may see one too few.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapledger::runtime::os {

// Gives back `at`.
void* remember_own(void* at, size_t bytes);
void forget_own(uintptr_t at, size_t bytes);

// Asks `count` how much of each is resident, by one thread at a time: for own_part.
void count_own(size_t (*count)(uintptr_t at, size_t bytes, int how), int how);

struct OwnPart {
  size_t bytes = 0;     // of [start, end) that are ours
  size_t resident = 0;  // of the mappings that these are of, when they were last counted
};
OwnPart own_part(uintptr_t start, uintptr_t end);

}  // namespace heapledger::runtime::os
