// The script for zsh.
#include <fmt/format.h>

#include <string_view>

#include "cli/completion/scripts.h"

namespace heapledger::cli::completion {
namespace {

// For the inside of '…': a quote ends, is escaped and begins again; colons and brackets separate
// the parts of a specification.
std::string escaped_for_zsh(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\'') {
      safe += "'\\''";
      continue;
    }
    if (c == ':' || c == '[' || c == ']' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string action(const WordSpec& words) {
  switch (words.kind) {
    case WordKind::kFile:
      return "_files";
    case WordKind::kFolder:
      return "_files -/";
    case WordKind::kLedger:
      return "_files -g \"*.ledger\"";
    case WordKind::kChoice: {
      std::string list;
      for (const std::string& word : words.choices) list += (list.empty() ? "" : " ") + word;
      return "(" + list + ")";
    }
    default:
      return " ";
  }
}

// '(-o --output)'{-o,--output}'[description]:OUT:_files'
std::string line_of(const OptionSpec& option) {
  std::string all;
  std::string choice;
  for (const std::string& name : option.names) {
    all += (all.empty() ? "" : " ") + name;
    choice += (choice.empty() ? "" : ",") + name;
  }
  std::string rest = "[" + escaped_for_zsh(option.description) + "]";
  if (option.value.kind != WordKind::kNone) {
    rest += ":" + escaped_for_zsh(option.value.name) + ":" + action(option.value);
  }
  if (option.names.size() == 1) return fmt::format("'{}{}'", all, rest);
  return fmt::format("'({})'{{{}}}'{}'", all, choice, rest);
}

std::string positional(const WordSpec& words) {
  if (words.kind == WordKind::kNone) return "";
  if (words.kind == WordKind::kProgram) {
    return " \\\n                '(-)1:CMD:_command_names -e' \\\n                "
           "'*::ARGUMENTS:_normal'";
  }
  return fmt::format(" \\\n                '*:{}:{}'", escaped_for_zsh(words.name), action(words));
}

std::string zsh_case_of(const CommandSpec& command) {
  std::string text = fmt::format("            ({})\n            _arguments -s -S", command.name);
  for (const OptionSpec& option : command.options) {
    text += " \\\n                " + line_of(option);
  }
  return text + positional(command.words) + "\n            ;;\n";
}

}  // namespace

std::string zsh_completion(const ToolSpec& tool) {
  std::string text =
      "#compdef heapledger\n"
      "# heapledger: completion for zsh, made by: heapledger completion zsh\n"
      "_heapledger()\n{\n"
      "    local curcontext=$curcontext state line\n"
      "    typeset -A opt_args\n"
      "    local -a commands=(\n";
  for (const CommandSpec& command : tool.commands) {
    text += fmt::format("        '{}:{}'\n", command.name, escaped_for_zsh(command.description));
  }
  text += "    )\n    _arguments -C";
  for (const OptionSpec& option : tool.options) text += " \\\n        " + line_of(option);
  text +=
      " \\\n        '1:command:->command' \\\n        '*::argument:->argument'\n"
      "    case $state in\n"
      "        (command)\n"
      "        _describe command commands\n"
      "        ;;\n"
      "        (argument)\n"
      "        case $words[1] in\n";
  for (const CommandSpec& command : tool.commands) text += zsh_case_of(command);
  return text +
         "        esac\n"
         "        ;;\n"
         "    esac\n"
         "}\n"
         "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
         "    _heapledger \"$@\"\n"
         "else\n"
         "    compdef _heapledger heapledger\n"
         "fi\n";
}

}  // namespace heapledger::cli::completion
