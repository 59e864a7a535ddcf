// The script for fish.
#include <fmt/format.h>

#include <algorithm>
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
      return " -x -a '(__heapledger_program)'";
    case WordKind::kProcess:
      return " -x -a '(__heapledger_processes)'";
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

// A condition for the word of that number, of so many; of the last there may be several.
std::string at_word(size_t number, size_t count) {
  if (count < 2) return "";
  return fmt::format("; and test (__heapledger_given) {} {}", number + 1 < count ? "-eq" : "-ge",
                     number);
}

bool takes_program(const CommandSpec& command) {
  return std::any_of(command.words.begin(), command.words.end(),
                     [](const WordSpec& word) { return word.kind == WordKind::kProgram; });
}

// How many words a command line has that are neither options nor their values; and what a program's
// own line is, from the first such word on.
std::string functions_for_words(const ToolSpec& tool) {
  std::string text =
      "function __heapledger_with_value\n"
      "    switch \"$argv[1]\"\n";
  for (const CommandSpec& command : tool.commands) {
    std::string names;
    for (const OptionSpec& option : command.options) {
      if (option.value.kind == WordKind::kNone) continue;
      for (const std::string& name : option.names) names += " " + name;
    }
    if (names.empty()) continue;
    text += "        case " + command.name + "\n            printf '%s\\n'" + names + "\n";
  }
  return text +
         "    end\n"
         "end\n"
         "function __heapledger_given\n"
         "    set -l words (commandline -opc)\n"
         "    set -l with_value (__heapledger_with_value $words[2])\n"
         "    set -e words[1..2]\n"
         "    set -l count 0\n"
         "    set -l is_value no\n"
         "    for word in $words\n"
         "        if test $is_value = yes\n"
         "            set is_value no\n"
         "        else if contains -- $word $with_value\n"
         "            set is_value yes\n"
         "        else if not string match -q -- '-*' $word\n"
         "            set count (math $count + 1)\n"
         "        end\n"
         "    end\n"
         "    echo $count\n"
         "end\n"
         "function __heapledger_program\n"
         "    set -l words (commandline -opc)\n"
         "    set -l with_value (__heapledger_with_value $words[2])\n"
         "    set -e words[1..2]\n"
         "    while string match -q -- '-*' \"$words[1]\"\n"
         "        set -l word $words[1]\n"
         "        set -e words[1]\n"
         "        test $word = --; and break\n"
         "        contains -- $word $with_value; and set -e words[1]\n"
         "    end\n"
         "    set -l line (string escape -- $words) (commandline -ct)\n"
         "    complete --do-complete=(string join ' ' -- $line)\n"
         "end\n";
}

}  // namespace

std::string fish_completion(const ToolSpec& tool) {
  const std::string first = "__fish_use_subcommand";
  std::string text =
      "# heapledger: completion for fish, made by: heapledger completion fish\n"
      "function __heapledger_processes\n"
      "    for maps in (grep -lsE 'libheapledger|[.]ledger$' (string match -r "
      "'^/proc/[0-9]+/maps$' /proc/*/maps) 2>/dev/null)\n"
      "        set -l folder (string replace /maps '' $maps)\n"
      "        printf '%s\\t%s\\n' (string replace /proc/ '' $folder) "
      "(cat $folder/comm 2>/dev/null)\n"
      "    end\n"
      "end\n"
      "function __heapledger_is\n"
      "    set -l words (commandline -opc)\n"
      "    test (count $words) -gt 1; and test $words[2] = $argv[1]\n"
      "end\n" +
      functions_for_words(tool) + "complete -c heapledger -f\n";
  for (const OptionSpec& option : tool.options) text += line_of(first, option);
  for (const CommandSpec& command : tool.commands) {
    text += fmt::format("complete -c heapledger -n '{}' -a {} -d '{}'\n", first, command.name,
                        escaped_for_fish(command.description));
  }
  for (const CommandSpec& command : tool.commands) {
    const std::string when = "__heapledger_is " + command.name;
    const std::string own =  // options after the program are the program's
        takes_program(command)
            ? "; and test (__heapledger_given) -eq 0; and not contains -- -- (commandline -opc)"
            : "";
    for (const OptionSpec& option : command.options) text += line_of(when + own, option);
    for (size_t i = 0; i < command.words.size(); ++i) {
      text += "complete -c heapledger -n '" + when + at_word(i, command.words.size()) + "'" +
              fish_offer(command.words[i]) + "\n";
    }
  }
  return text;
}

}  // namespace heapledger::cli::completion
