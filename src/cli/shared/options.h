// Options and subcommands: a small face of the library that reads command lines (CLI11), which only
// options.cpp, wrong_words.cpp and completion/words.cpp include. Its headers take longer to read
// than all our own.
//
// Names are written as they are typed, "-o,--output"; a name without dashes is positional. Commands
// and options live as long as the tool they were added to.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
class Option;
}  // namespace CLI

namespace heapledger::cli {

class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option* type_name(const std::string& name);  // what the help calls the value
  Option* required();
  Option* expected(int count);
  Option* expected(int least, int most);
  Option* excludes(Option* other);
  Option* delimiter(char letter);
  // Off: each value needs the option's name before it.
  Option* allow_extra_args(bool allowed);

  // What the value must be; anything else is a wrong command line.
  Option* one_of(const std::vector<std::string>& words);
  Option* within(double least, double most);
  // What shells offer for the value; of one_of, its words.
  Option* offers(std::vector<std::string> words);
  const std::vector<std::string>& offered() const { return offered_; }

  // How often it was given.
  size_t count() const;

 private:
  friend class Command;
  CLI::Option* option_;
  std::vector<std::string> offered_;
};

class Command {
 public:
  // The tool itself.
  Command(const std::string& name, const std::string& description, const std::string& version);
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  Command* add_subcommand(const std::string& name, const std::string& description);
  // What the subcommands that are added next are for, as the help has it.
  void begin_group(const std::string& title) { group_ = title; }
  std::vector<std::string> subcommand_names() const;

  // Value is a text or a number, an optional one, or a vector of texts: options.cpp lists them.
  template <typename Value>
  Option* add_option(const std::string& names, Value& value, const std::string& help);
  Option* add_flag(const std::string& names, bool& value, const std::string& help);
  // A flag that can have a value, --flag=VALUE.
  Option* add_flag(const std::string& names, std::string& value, const std::string& help);
  // An option whose every value is handed on.
  Option* add_each(const std::string& names, const std::function<void(const std::string&)>& take,
                   const std::string& help);
  // All words from the first one that is no option: a program and its arguments, whatever they look
  // like. `usage` is the first line of the help, which cannot say that by itself.
  void add_program(std::vector<std::string>& words, const std::string& help,
                   const std::string& usage);
  // Words before the program that look like options but are none, and what they may have been meant
  // to be: "; did you mean '--depth'?", or nothing.
  std::vector<std::string> unknown_options() const;
  std::string option_meant(const std::string& word) const;

  void footer(const std::string& text);
  void callback(std::function<void()> work);

  // Of the tool: understands the words and does the work. Help and version are printed to stdout;
  // complaints to stderr, and the help when there are no words at all.
  enum class Understood { kYes, kOnlyShown, kNo };
  Understood parse(int argc, char** argv);
  bool was_asked_for(const std::string& subcommand) const;
  // Of the tool, or of one of its subcommands.
  std::string help(const std::string& subcommand = "") const;

  const CLI::App& app() const { return *app_; }
  // The words that shells offer for an option of this command, or of a subcommand.
  std::vector<std::string> offered_for(const CLI::Option& option) const;

 private:
  explicit Command(CLI::App& app);
  Option* keep(CLI::Option& option);

  std::unique_ptr<CLI::App> tool_;  // null for subcommands, which belong to it
  CLI::App* app_;
  std::string group_;
  std::vector<std::unique_ptr<Command>> subcommands_;
  std::vector<std::unique_ptr<Option>> options_;
};

}  // namespace heapledger::cli
