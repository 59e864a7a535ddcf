// The script for fish.
#include <fmt/format.h>

#include <string_view>

#include "cli/completion/scripts.h"

namespace heapledger::cli::completion {
namespace {

// For the inside of '…'.
std::string escaped_for_fish(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\'' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string fish_offer(const WordSpec& words) {
  switch (words.kind) {
    case WordKind::kFile:
      return " -F";
    case WordKind::kFolder:
      return " -x -a '(__fish_complete_directories)'";
    case WordKind::kLedger:
      return " -k -x -a '(__fish_complete_suffix .ledger)'";
    case WordKind::kProgram:
      return " -x -a '(__fish_complete_subcommand --fcs-skip=2)'";
    case WordKind::kChoice: {
      std::string list;
      for (const std::string& word : words.choices) list += (list.empty() ? "" : " ") + word;
      return " -x -a '" + list + "'";
    }
    default:
      return " -x";
  }
}

std::string names_of(const OptionSpec& option) {
  std::string text;
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return text;
}

std::string line_of(const std::string& when, const OptionSpec& option) {
  std::string text = "complete -c heapledger -n '" + when + "'" + names_of(option);
  if (option.value.kind != WordKind::kNone) text += " -r" + fish_offer(option.value);
  return text + " -d '" + escaped_for_fish(option.description) + "'\n";
}

}  // namespace

std::string fish_completion(const ToolSpec& tool) {
  const std::string first = "__fish_use_subcommand";
  std::string text =
      "# heapledger: completion for fish, made by: heapledger completion fish\n"
      "complete -c heapledger -f\n";
  for (const OptionSpec& option : tool.options) text += line_of(first, option);
  for (const CommandSpec& command : tool.commands) {
    text += fmt::format("complete -c heapledger -n '{}' -a {} -d '{}'\n", first, command.name,
                        escaped_for_fish(command.description));
  }
  for (const CommandSpec& command : tool.commands) {
    const std::string when = "__fish_seen_subcommand_from " + command.name;
    for (const OptionSpec& option : command.options) text += line_of(when, option);
    if (command.words.kind == WordKind::kNone) continue;
    text += "complete -c heapledger -n '" + when + "'" + fish_offer(command.words) + "\n";
  }
  return text;
}

}  // namespace heapledger::cli::completion
