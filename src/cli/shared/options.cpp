#include "cli/shared/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <utility>

#include "cli/shared/wrong_words.h"
#include "text/nearest.h"
#include "text/text.h"

namespace heapledger::cli {
namespace {

constexpr int kAnyNumber = 1 << 24;

class UsageHelp : public CLI::Formatter {
 public:
  explicit UsageHelp(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: " + usage_ + "\n";
  }
  std::string make_positionals(const CLI::App*) const override { return ""; }

 private:
  std::string usage_;
};

}  // namespace

Option* Option::type_name(const std::string& name) {
  option_->type_name(name);
  return this;
}

Option* Option::required() {
  option_->required();
  return this;
}

Option* Option::expected(int count) {
  option_->expected(count);
  return this;
}

Option* Option::expected(int least, int most) {
  option_->expected(least, most);
  return this;
}

Option* Option::excludes(Option* other) {
  option_->excludes(other->option_);
  return this;
}

Option* Option::delimiter(char letter) {
  option_->delimiter(letter);
  return this;
}

Option* Option::allow_extra_args(bool allowed) {
  option_->allow_extra_args(allowed);
  return this;
}

Option* Option::one_of(const std::vector<std::string>& words) {
  option_->check(
      [words](const std::string& word) {
        if (std::find(words.begin(), words.end(), word) != words.end()) return std::string();
        std::string all;
        for (const std::string& one : words) all += (all.empty() ? "" : ", ") + one;
        return quoted(word) + " is not one of " + all + did_you_mean(word, words);
      },
      "");
  return offers(words);
}

Option* Option::offers(std::vector<std::string> words) {
  offered_ = std::move(words);
  return this;
}

Option* Option::within(double least, double most) {
  option_->check(CLI::Range(least, most).description(""));
  return this;
}

size_t Option::count() const {
  return option_->count();
}

Command::Command(const std::string& name, const std::string& description,
                 const std::string& version)
    : tool_(std::make_unique<CLI::App>(description)), app_(tool_.get()) {
  app_->name(name);
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->get_formatter()->label("SUBCOMMAND", "COMMAND");
}

Command::Command(CLI::App& app) : app_(&app) {}

Command::~Command() = default;

Command* Command::add_subcommand(const std::string& name, const std::string& description) {
  CLI::App* app = app_->add_subcommand(name, description);
  if (!group_.empty()) app->group(group_);
  subcommands_.push_back(std::unique_ptr<Command>(new Command(*app)));
  return subcommands_.back().get();
}

std::vector<std::string> Command::subcommand_names() const {
  std::vector<std::string> names;
  for (const auto& one : subcommands_) names.push_back(one->app_->get_name());
  return names;
}

Option* Command::keep(CLI::Option& option) {
  return options_.emplace_back(std::make_unique<Option>(option)).get();
}

template <typename Value>
Option* Command::add_option(const std::string& names, Value& value, const std::string& help) {
  return keep(*app_->add_option(names, value, help));
}

using Text = const std::string&;
template Option* Command::add_option(Text, std::string&, Text);
template Option* Command::add_option(Text, std::optional<std::string>&, Text);
template Option* Command::add_option(Text, std::vector<std::string>&, Text);
template Option* Command::add_option(Text, int&, Text);
template Option* Command::add_option(Text, unsigned&, Text);
template Option* Command::add_option(Text, std::optional<unsigned>&, Text);
template Option* Command::add_option(Text, uint64_t&, Text);
template Option* Command::add_option(Text, std::optional<uint64_t>&, Text);
template Option* Command::add_option(Text, double&, Text);
template Option* Command::add_option(Text, std::optional<double>&, Text);

Option* Command::add_flag(const std::string& names, bool& value, const std::string& help) {
  return keep(*app_->add_flag(names, value, help));
}

Option* Command::add_flag(const std::string& names, std::string& value, const std::string& help) {
  return keep(*app_->add_flag(names, value, help));
}

Option* Command::add_each(const std::string& names,
                          const std::function<void(const std::string&)>& take,
                          const std::string& help) {
  return keep(*app_->add_option_function<std::string>(names, take, help));
}

void Command::add_program(std::vector<std::string>& words, const std::string& help,
                          const std::string& usage) {
  // "Extra arguments" would have brackets in them interpreted, so these are simply very many.
  app_->positionals_at_end();
  app_->allow_extras();
  app_->add_option("CMD", words, help)
      ->type_name("")
      ->expected(kAnyNumber)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app_->formatter(std::make_shared<UsageHelp>(usage));
}

std::vector<std::string> Command::unknown_options() const {
  return app_->remaining();
}

std::string Command::option_meant(const std::string& word) const {
  return cli::option_meant(*app_, word);
}

void Command::footer(const std::string& text) {
  app_->footer(text);
}

void Command::callback(std::function<void()> work) {
  app_->callback(std::move(work));
}

Command::Understood Command::parse(int argc, char** argv) {
  if (argc < 2) {
    std::fputs(help().c_str(), stderr);
    return Understood::kNo;
  }
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& shown) {
    app_->exit(shown);
    return Understood::kOnlyShown;
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "heapledger: %s\n", printable(what_is_wrong(*app_, error, argv)).c_str());
    std::fprintf(stderr, "%s\n", where_help_is(*app_).c_str());
    return Understood::kNo;
  }
  return Understood::kYes;
}

std::string Command::help(const std::string& subcommand) const {
  // CLI11's own help() would be that of the subcommand which asks.
  if (subcommand.empty()) {
    return app_->get_formatter()->make_help(app_, app_->get_name(), CLI::AppFormatMode::Normal);
  }
  return app_->get_subcommand(subcommand)->help(app_->get_name());
}

std::vector<std::string> Command::offered_for(const CLI::Option& option) const {
  for (const auto& own : options_) {
    if (own->option_ == &option) return own->offered();
  }
  for (const auto& one : subcommands_) {
    if (std::vector<std::string> words = one->offered_for(option); !words.empty()) return words;
  }
  return {};
}

bool Command::was_asked_for(const std::string& subcommand) const {
  return app_->got_subcommand(subcommand);
}

}  // namespace heapledger::cli
