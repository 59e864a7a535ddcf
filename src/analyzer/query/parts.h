// The few parts of a program that own most of what is asked about, where single places own too
// little to be worth a look: a compiler's peak is in thousands of them.
//
// Begins with the whole program and splits, again and again, the largest part where its calls
// branch, until there are as many parts as are wanted or none branches into anything worth seeing.
// A part is a call that branches off, by the name of its function, with all that it leads to and
// that is not a part itself. Allocators, standard libraries and repeated calls of recursion are no
// branches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/query/grouping.h"

namespace heapledger {

inline constexpr size_t kUsualParts = 10;

// Every account is in one group: a part, or the last one, which has the rest. `weight` says how
// much of what is asked about an account has.
Grouping group_parts(size_t most, const std::vector<uint32_t>& sites, StackNames& names,
                     const std::function<uint64_t(uint32_t account)>& weight);

}  // namespace heapledger
