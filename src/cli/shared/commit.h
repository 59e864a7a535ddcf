// Which commit this tool was built of: cmake/commit.cmake writes it down.
#pragma once

namespace heapledger::cli {

// Empty where nobody knows; "+changes" behind it when there were more.
extern const char* const kCommit;

}  // namespace heapledger::cli
