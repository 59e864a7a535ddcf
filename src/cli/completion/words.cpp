#include "cli/completion/words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "cli/shared/options.h"

namespace heapledger::cli::completion {
namespace {

// "bash|zsh|fish" is a choice; other names are what the help calls a value.
WordSpec word_spec(const std::string& name) {
  WordSpec spec;
  spec.name = name;
  if (name.find('|') != std::string::npos) {
    spec.kind = WordKind::kChoice;
    std::istringstream words(name);
    for (std::string word; std::getline(words, word, '|');) spec.choices.push_back(word);
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

OptionSpec option_spec(const CLI::Option& option) {
  OptionSpec spec;
  for (const std::string& name : option.get_snames()) spec.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) spec.names.push_back("--" + name);
  spec.description = option.get_description();
  if (option.get_items_expected_max() > 0) {
    spec.value = word_spec(option.get_type_name());
    // Options named for a ledger take one, whatever the help calls the value.
    if (spec.value.name == "OLD" || spec.value.name == "LEDGER") {
      spec.value.kind = WordKind::kLedger;
    }
  }
  return spec;
}

// A positional has no dashes; FILE means a ledger there, as with every command that reads them.
WordSpec positional_spec(const CLI::Option& option) {
  const std::string& name = option.get_name();
  const std::string& type = option.get_type_name();
  WordSpec spec = word_spec(type.find('|') != std::string::npos ? type : name);
  if (spec.kind == WordKind::kFile || spec.kind == WordKind::kText) spec.kind = WordKind::kLedger;
  return spec;
}

void add_options(const CLI::App& app, std::vector<OptionSpec>& options, WordSpec& words) {
  for (const CLI::Option* option : app.get_options()) {
    if (is_hidden(*option)) continue;
    if (option->get_positional()) {
      // Of several, the one that is a choice is worth completing.
      if (words.kind != WordKind::kChoice) words = positional_spec(*option);
    } else {
      options.push_back(option_spec(*option));
    }
  }
}

}  // namespace

ToolSpec tool_spec(const Command& command_line) {
  const CLI::App& app = command_line.app();
  ToolSpec tool;
  WordSpec none;
  add_options(app, tool.options, none);
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandSpec command;
    command.name = sub->get_name();
    command.description = sub->get_description();
    add_options(*sub, command.options, command.words);
    tool.commands.push_back(std::move(command));
  }
  return tool;
}

}  // namespace heapledger::cli::completion
