// The first line of a script, read as the kernel reads it: `#!`, the interpreter, and at most one
// argument. Also what `env` makes of that argument, since `#!/usr/bin/env X` is how most scripts
// name their interpreter.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace heapledger::cli::program_check {

inline constexpr size_t kScriptHeadBytes = 256;  // all that the kernel looks at
inline constexpr int kMostInterpreters = 5;      // scripts run by scripts: the kernel's limit

struct ScriptLine {
  std::string interpreter;
  std::string argument;  // the rest of the line, as one
};

// Nothing when the file is no script, or names no interpreter.
std::optional<ScriptLine> parse_script_line(std::string_view head);

struct EnvCommand {
  std::string program;              // empty: none could be made out
  bool clears_environment = false;  // env -i: nothing that we set reaches the program
};

// For an interpreter named env: the program it will start.
EnvCommand parse_env_argument(std::string_view argument);

}  // namespace heapledger::cli::program_check
