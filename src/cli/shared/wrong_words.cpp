#include "cli/shared/wrong_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "text/nearest.h"
#include "text/text.h"

namespace heapledger::cli {
namespace {

// The subcommand that was understood; null when none was.
const CLI::App* chosen(const CLI::App& tool) {
  const std::vector<CLI::App*> found = tool.get_subcommands();
  return found.empty() ? nullptr : found.front();
}

std::string unknown_option(const CLI::App& command, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  return "unknown option " + quoted(name) + option_meant(command, name);
}

std::string unknown_command(const CLI::App& tool, const std::string& word) {
  if (word.starts_with("-")) return unknown_option(tool, word);
  std::vector<std::string> names;
  for (const CLI::App* one : tool.get_subcommands({})) names.push_back(one->get_name());
  return "unknown command " + quoted(word) + did_you_mean(word, names);
}

// "Could not convert: --top = x": all that is converted are numbers.
std::string no_number(std::string_view text) {
  constexpr std::string_view kBefore = "Could not convert: ";
  if (!text.starts_with(kBefore)) return std::string(text);
  text.remove_prefix(kBefore.size());
  const size_t equals = text.find(" = ");
  if (equals == std::string_view::npos) return std::string(text);
  return std::string(text.substr(0, equals)) + " takes a number, not " +
         quoted(std::string(text.substr(equals + 3)));
}

}  // namespace

std::string option_meant(const CLI::App& command, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& own = option->get_lnames();
    names.insert(names.end(), own.begin(), own.end());
  }
  const std::string near = nearest_word(word.substr(word.find_first_not_of('-')), names);
  return near.empty() ? "" : "; did you mean " + quoted("--" + near) + "?";
}

std::string what_is_wrong(const CLI::App& tool, const CLI::ParseError& error, char** argv) {
  const CLI::App* command = chosen(tool);
  if (command == nullptr) return unknown_command(tool, argv[1]);
  // Whatever else is missing, a word that nobody knows may be what it was meant to be.
  const std::vector<std::string> left =
      command->get_allow_extras() ? std::vector<std::string>() : command->remaining();
  const auto option = std::find_if(left.begin(), left.end(), [](const std::string& word) {
    return word.size() > 1 && word.starts_with("-") && word != "--";
  });
  if (option != left.end()) return unknown_option(*command, *option);
  if (!left.empty())
    return command->get_name() + " has no use for the word " + quoted(left.front());
  return no_number(error.what());
}

std::string where_help_is(const CLI::App& tool) {
  const CLI::App* command = chosen(tool);
  if (command == nullptr) return "All commands: heapledger help";
  return "How it is called: heapledger help " + command->get_name();
}

}  // namespace heapledger::cli
