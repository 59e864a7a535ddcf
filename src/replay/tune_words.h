// What a tuning says to people.
#pragma once

#include <string>
#include <vector>

#include "replay/tune.h"

namespace heapledger {

// "glibc.malloc.arena_max=1 glibc.malloc.tcache_count=32"
std::string settings_in_words(const std::vector<Setting>& settings);

// "export GLIBC_TUNABLES=glibc.malloc.arena_max=1", as a shell takes it.
std::string export_command(const std::vector<Setting>& settings);

std::string tuning_in_words(const Tuned& tuned);

}  // namespace heapledger
