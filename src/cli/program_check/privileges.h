// Whether executing a file gains privileges that this process does not have. For such a program the
// loader drops every preloaded library, so it runs unrecorded without a word.
#pragma once

#include <string>

namespace heapledger::cli::program_check {

enum class Privilege { kNone, kUser, kGroup, kCapabilities };

Privilege gained_privilege(const std::string& path);

}  // namespace heapledger::cli::program_check
