// Options that are durations: as everywhere, and a number alone is seconds, which is what they took
// before there were units.
#pragma once

#include <string>

namespace heapledger::cli {

// `option`: for the message. Throws Error.
double seconds_of(const std::string& option, const std::string& text);

}  // namespace heapledger::cli
