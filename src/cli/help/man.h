// The pages that `man heapledger-report` shows: the help of a command, as man has it.
#pragma once

#include <string>

#include "cli/completion/words.h"

namespace heapledger::cli::help {

std::string man_page(const completion::CommandSpec& command);

}  // namespace heapledger::cli::help
