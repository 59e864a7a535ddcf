// What can be typed after `heapledger`: the subcommands and their options, taken from the very
// objects that parse them, so that completion never knows less or more than the tool.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heapledger::cli {
class Command;
}

namespace heapledger::cli::completion {

// What a word may be that is not an option's name.
enum class WordKind {
  kNone,
  kText,     // anything: nothing can be offered
  kFile,     // any file
  kFolder,   // a folder
  kLedger,   // a ledger, or a folder of them
  kProgram,  // a command with its arguments, which are completed as its own
  kChoice,   // one of a few words
  kProcess,  // a process that is being recorded
};

struct WordSpec {
  WordKind kind = WordKind::kNone;
  std::string name;                  // as the help has it: FILE
  std::vector<std::string> choices;  // for kChoice
};

struct OptionSpec {
  std::vector<std::string> names;  // with their dashes
  std::string description;
  WordSpec value;  // kNone: it takes none
  size_t values = 1;
  bool repeats = false;  // can be given several times
};

struct CommandSpec {
  std::string name;
  std::string description;
  std::string usage;   // one line: heapledger report [OPTIONS] [FILE...]
  std::string footer;  // what the help says at its end
  std::vector<OptionSpec> options;
  std::vector<WordSpec> words;  // what else it takes, in order; of the last there may be many
};

struct ToolSpec {
  std::vector<OptionSpec> options;  // before any subcommand
  std::vector<CommandSpec> commands;
};

ToolSpec tool_spec(const Command& app);

}  // namespace heapledger::cli::completion
