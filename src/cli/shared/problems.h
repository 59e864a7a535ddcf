// What could not be read of a heap, or not be written of it, told to the user.
#pragma once

#include <string>
#include <vector>

namespace heapledger::cli {

// On stderr, a note for each.
void tell_problems(const std::vector<std::string>& problems, bool quiet);

}  // namespace heapledger::cli
