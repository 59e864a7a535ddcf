#include "cli/completion/words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>
#include <utility>

#include "cli/shared/options.h"

namespace heapledger::cli::completion {
namespace {

bool is_plain_word(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return std::islower(static_cast<unsigned char>(c)) != 0 || c == '-' || c == ',';
  });
}

// "bash|zsh|fish" is a choice, "all|none|>=SIZE" one with words that are no more than a form; other
// names are what the help calls a value.
WordSpec word_spec(const std::string& name) {
  WordSpec spec;
  spec.name = name;
  if (name.find('|') != std::string::npos) {
    spec.kind = WordKind::kChoice;
    std::istringstream words(name);
    for (std::string word; std::getline(words, word, '|');) {
      if (is_plain_word(word)) spec.choices.push_back(word);
    }
  } else if (name == "PID") {
    spec.kind = WordKind::kProcess;
  } else if (name == "CMD") {
    spec.kind = WordKind::kProgram;
  } else if (name == "DIR") {
    spec.kind = WordKind::kFolder;
  } else if (name == "FILE" || name == "OUT" || name == "PATTERN") {
    spec.kind = WordKind::kFile;
  } else {
    spec.kind = WordKind::kText;
  }
  return spec;
}

bool is_hidden(const CLI::Option& option) {
  return option.get_group().empty();
}

void add_offered(const Command& tool, const CLI::Option& option, WordSpec& spec) {
  std::vector<std::string> words = tool.offered_for(option);
  if (words.empty()) return;
  spec.kind = WordKind::kChoice;
  spec.choices = std::move(words);
}

OptionSpec option_spec(const Command& tool, const CLI::Option& option) {
  OptionSpec spec;
  for (const std::string& name : option.get_snames()) spec.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) spec.names.push_back("--" + name);
  spec.description = option.get_description();
  const int most = option.get_items_expected_max();
  if (most > 0) {
    constexpr int kOfALine = 8;  // more are a list, one each time
    spec.repeats = most > kOfALine;
    spec.values = spec.repeats ? 1 : static_cast<size_t>(most);
    spec.value = word_spec(option.get_type_name());
    // Options named for a ledger take one, whatever the help calls the value.
    if (spec.value.name == "OLD" || spec.value.name == "LEDGER") {
      spec.value.kind = WordKind::kLedger;
    }
    add_offered(tool, option, spec.value);
  }
  return spec;
}

// A positional has no dashes; FILE means a ledger there, as with every command that reads them.
WordSpec positional_spec(const Command& tool, const CLI::App& app, const CLI::Option& option) {
  const std::string& name = option.get_name();
  const std::string& type = option.get_type_name();
  WordSpec spec = word_spec(type.find('|') != std::string::npos ? type : name);
  if (spec.kind == WordKind::kFile || spec.kind == WordKind::kText) spec.kind = WordKind::kLedger;
  // But for those that make ledgers of something else.
  const bool other = name == "EXE" || name == "CORE" || app.get_name() == "import";
  if (other) spec.kind = WordKind::kFile;
  add_offered(tool, option, spec);
  return spec;
}

void add_options(const Command& tool, const CLI::App& app, std::vector<OptionSpec>& options,
                 std::vector<WordSpec>& words) {
  for (const CLI::Option* option : app.get_options()) {
    if (is_hidden(*option)) continue;
    if (option->get_positional()) {
      words.push_back(positional_spec(tool, app, *option));
    } else {
      options.push_back(option_spec(tool, *option));
    }
  }
}

// The line of the help that begins with it.
std::string usage_of(const CLI::App& app) {
  constexpr std::string_view kBegin = "Usage: ";
  std::istringstream lines(app.help());
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kBegin)) continue;
    const std::string usage = line.substr(kBegin.size());
    return usage.starts_with("heapledger ") ? usage : "heapledger " + usage;
  }
  return "";
}

}  // namespace

ToolSpec tool_spec(const Command& command_line) {
  const CLI::App& app = command_line.app();
  ToolSpec tool;
  std::vector<WordSpec> none;
  add_options(command_line, app, tool.options, none);
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandSpec command;
    command.name = sub->get_name();
    command.description = sub->get_description();
    command.usage = usage_of(*sub);
    command.footer = sub->get_footer();
    add_options(command_line, *sub, command.options, command.words);
    tool.commands.push_back(std::move(command));
  }
  return tool;
}

}  // namespace heapledger::cli::completion
