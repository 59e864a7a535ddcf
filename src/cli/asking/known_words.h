// The words that options of several commands take: for their help, for completion, and for who
// looks for the nearest right one.
#pragma once

#include <string>
#include <vector>

namespace heapledger::cli {

std::vector<std::string> group_words();   // --by
std::vector<std::string> sort_words();    // --sort of a report: every measure of a group
std::vector<std::string> worst_words();   // --worst: every measure of a process
std::vector<std::string> moment_words();  // --at, besides times, shares and markers

// "a, b or c".
std::string listed(const std::vector<std::string>& words);

}  // namespace heapledger::cli
