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
    case WordKind::kProcess:
      return "_heapledger_processes";
    case WordKind::kChoice: {
      std::string list;
      for (const std::string& word : words.choices) list += (list.empty() ? "" : " ") + word;
      return "(" + list + ")";
    }
    default:
      return " ";
  }
}

// '(-o --output)'{-o,--output=}'[description]:OUT:_files'; one that can be given again '*--by=[…'.
std::string line_of(const OptionSpec& option) {
  const bool has_value = option.value.kind != WordKind::kNone;
  std::string all;
  std::string choice;
  for (const std::string& name : option.names) {
    // Its value may follow as a word, or after the equals sign.
    const bool is_long = name.starts_with("--");
    all += (all.empty() ? "" : " ") + name;
    choice += (choice.empty() ? "" : ",") + name + (has_value && is_long ? "=" : "");
  }
  std::string rest = "[" + escaped_for_zsh(option.description) + "]";
  for (size_t i = 0; has_value && i < option.values; ++i) {
    rest += ":" + escaped_for_zsh(option.value.name) + ":" + action(option.value);
  }
  const bool one_name = option.names.size() == 1;
  const std::string star = option.repeats ? "*" : "";
  if (one_name) return fmt::format("'{}{}{}'", star, choice, rest);
  const std::string before = option.repeats ? star : "(" + all + ")";
  return fmt::format("'{}'{{{}}}'{}'", before, choice, rest);
}

std::string positionals(const std::vector<WordSpec>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].kind == WordKind::kProgram) {
      return " \\\n                '(-)1:CMD:_command_names -e' \\\n                "
             "'*::ARGUMENTS:_normal'";
    }
    const std::string place = i + 1 == words.size() ? "*" : std::to_string(i + 1);
    text += fmt::format(" \\\n                '{}:{}:{}'", place, escaped_for_zsh(words[i].name),
                        action(words[i]));
  }
  return text;
}

std::string zsh_case_of(const CommandSpec& command) {
  std::string text = fmt::format("            ({})\n            _arguments -s -S", command.name);
  for (const OptionSpec& option : command.options) {
    text += " \\\n                " + line_of(option);
  }
  return text + positionals(command.words) + "\n            ;;\n";
}

}  // namespace

std::string zsh_completion(const ToolSpec& tool) {
  std::string text =
      "#compdef heapledger\n"
      "# heapledger: completion for zsh, made by: heapledger completion zsh\n"
      "_heapledger_processes()\n{\n"
      "    local -a maps=(${(f)\"$(grep -lsE 'libheapledger|[.]ledger$' /proc/[0-9]*/maps "
      "2>/dev/null)\"})\n"
      "    compadd -- ${${maps#/proc/}%/maps}\n"
      "}\n\n"
      "_heapledger()\n{\n"
      "    local curcontext=$curcontext state line\n"
      "    typeset -A opt_args\n"
      // Not `commands`: that is zsh's own table of programs, which completes those of `run`.
      "    local -a subcommands=(\n";
  for (const CommandSpec& command : tool.commands) {
    text += fmt::format("        '{}:{}'\n", command.name, escaped_for_zsh(command.description));
  }
  text += "    )\n    _arguments -C";
  for (const OptionSpec& option : tool.options) text += " \\\n        " + line_of(option);
  text +=
      " \\\n        '1:command:->command' \\\n        '*::argument:->argument'\n"
      "    case $state in\n"
      "        (command)\n"
      "        _describe command subcommands\n"
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
