// Completion for three shells, made from the same words. A script needs nothing but its shell, and
// grep to find processes that are being recorded; it never calls the tool.
#pragma once

#include <string>

#include "cli/completion/words.h"

namespace heapledger::cli::completion {

std::string bash_completion(const ToolSpec& tool);
std::string zsh_completion(const ToolSpec& tool);
std::string fish_completion(const ToolSpec& tool);

}  // namespace heapledger::cli::completion
