// Threads of a process that was forked, and of the one it was forked from: blocks of both may be in
// its ledger. Those of the other have a bit set in the index of their entry (Kind::kThread).
#pragma once

#include <cstdint>

namespace heapledger::format {

inline constexpr uint32_t kInheritedThread = uint32_t{1} << 31;

}  // namespace heapledger::format
