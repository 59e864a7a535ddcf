// Which file a command name stands for: the answer that execvp would give, found without running
// anything.
#pragma once

#include <string>

namespace heapledger::cli::program_check {

struct FoundProgram {
  std::string path;  // empty when there is none that can be executed
  int error = 0;     // then the errno that exec would leave: ENOENT, EACCES, …
};

// `search_path` is the value of PATH, or null when it is not set.
FoundProgram find_program(const std::string& command, const char* search_path);

}  // namespace heapledger::cli::program_check
