// Names of the system calls that allocators make.
#pragma once

#include <cstdint>
#include <string>

namespace heapledger {

// "other" for those that no allocator is known for.
std::string system_call_name(long number);

// Those of libc that come with the beginning and the end of a thread, and with waiting for its end.
// The player's threads are not the allocator's.
bool is_of_threads(long number, uint64_t second_argument);

}  // namespace heapledger
