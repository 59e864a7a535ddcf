#include "cli/program_check/script.h"

namespace heapledger::cli::program_check {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Takes the first word off `text`.
std::string_view next_word(std::string_view& text) {
  text = trimmed(text);
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

bool takes_a_value(std::string_view option) {
  return option == "-u" || option == "--unset" || option == "-C" || option == "--chdir";
}

// A short option with -S among its letters ("-S", "-vS", "-iS"): env splits the rest into words.
bool splits(std::string_view option) {
  return option.size() > 1 && option[0] == '-' && option[1] != '-' &&
         option.find('S') != std::string_view::npos;
}

bool clears(std::string_view option) {
  if (option == "-" || option == "--ignore-environment") return true;
  return option.size() > 1 && option[0] == '-' && option[1] != '-' && option[1] != 'u' &&
         option.substr(0, option.find('S')).find('i') != std::string_view::npos;
}

}  // namespace

std::optional<ScriptLine> parse_script_line(std::string_view head) {
  head = head.substr(0, kScriptHeadBytes);
  if (head.substr(0, 2) != "#!") return std::nullopt;
  // Bytes after a zero are not seen by the kernel either.
  std::string_view line = head.substr(2);
  line = line.substr(0, line.find('\n'));
  line = line.substr(0, line.find('\0'));
  ScriptLine found;
  found.interpreter = next_word(line);
  found.argument = trimmed(line);
  if (found.interpreter.empty()) return std::nullopt;
  return found;
}

EnvCommand parse_env_argument(std::string_view argument) {
  EnvCommand command;
  constexpr std::string_view kLongSplit = "--split-string=";
  if (argument.substr(0, kLongSplit.size()) == kLongSplit) {
    argument.remove_prefix(kLongSplit.size());
  } else {
    std::string_view rest = argument;
    const std::string_view first = next_word(rest);
    if (!splits(first)) {
      // One word, blanks and all.
      command.clears_environment = clears(argument);
      if (!argument.empty() && argument[0] != '-') command.program = argument;
      return command;
    }
    command.clears_environment = clears(first);
    // The words may stand behind the S at once: -Spython3.
    argument.remove_prefix(first.find('S') + 1);
  }
  while (true) {
    const std::string_view word = next_word(argument);
    if (word.empty()) return command;
    if (word[0] == '-') {
      if (clears(word)) command.clears_environment = true;
      if (takes_a_value(word)) next_word(argument);
    } else if (word.find('=') == std::string_view::npos) {
      command.program = word;
      return command;
    }
  }
}

}  // namespace heapledger::cli::program_check
