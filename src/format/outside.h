// What is told about a process by somebody outside of it: entries of a stream of its own, in no
// order with those of the process but that of time.
#pragma once

#include <cstdint>

namespace heapledger::format {

// The id of that stream's window, which no window of a process has.
inline constexpr uint32_t kOutsideWindow = UINT32_MAX;

}  // namespace heapledger::format
