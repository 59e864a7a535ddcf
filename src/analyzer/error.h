// The one kind of failure the analyzer and the command line throw: a message a user understands
// (what went wrong and what to do about it) and the exit status it stands for. It is caught in one
// place, the tool's main.
#pragma once

#include <stdexcept>
#include <string>

namespace heapledger {

inline constexpr int kExitUsage = 2;
inline constexpr int kExitBadData = 3;

class Error : public std::runtime_error {
 public:
  Error(const std::string& message, int exit_code)
      : std::runtime_error(message), exit_code_(exit_code) {}

  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

}  // namespace heapledger
