#include "cli/run/words.h"

#include <algorithm>
#include <memory>

#include "analyzer/error.h"
#include "base/units.h"
#include "cli/run/exit.h"
#include "cli/shared/exit_status.h"
#include "cli/shared/options.h"
#include "settings/settings.h"
#include "text/nearest.h"
#include "text/text.h"

namespace heapledger::cli::run {
namespace {

using settings::Word;

// The choice in a value such as "trace|sample" that one could have meant.
std::string nearest_choice(std::string_view choices, std::string_view value) {
  std::vector<std::string> words;
  while (!choices.empty()) {
    const size_t bar = std::min(choices.find('|'), choices.size());
    words.emplace_back(choices.substr(0, bar));
    choices.remove_prefix(std::min(bar + 1, choices.size()));
  }
  const std::string near = nearest_word(value, words);
  return near == value ? "" : near;
}

// What is wrong with a size or a duration; empty when that is what it is, or is not asked for.
std::string unit_problem(const Word& word, std::string_view value) {
  const std::string_view takes = word.value;
  uint64_t ignored = 0;
  const std::string begin = std::string(word.name) + ": cannot read ";
  const std::string_view size =
      value.substr(value.starts_with(">=") || value.starts_with("<=") ? 2 : 0);
  const bool compared =
      size.size() < value.size() && takes.find(">=SIZE") != std::string_view::npos;
  if ((takes == "SIZE" || compared) && !base::read_size(size, ignored)) {
    return begin + quoted(std::string(size)) + " as a size: write " + base::kSizesToWrite;
  }
  if (takes == "TIME" && !base::read_duration(value, ignored)) {
    return begin + quoted(std::string(value)) + " as a duration: write " + base::kDurationsToWrite;
  }
  return "";
}

std::string value_problem(const Word& word, std::string_view value) {
  if (std::string problem = unit_problem(word, value); !problem.empty()) return problem;
  std::string message = quoted(std::string(value)) + " is not a value for " + word.name +
                        ", which takes " + word.value + ".";
  const std::string near = nearest_choice(word.value, value);
  if (!near.empty()) message += " Did you mean " + std::string(word.name) + "=" + near + "?";
  return message;
}

std::string name_problem(std::string_view name) {
  std::string message = "There is no setting " + quoted(std::string(name)) + ".";
  const std::string near = nearest_setting(name);
  return message + (near.empty() ? " The manual lists them all." : " Did you mean " + near + "?");
}

}  // namespace

std::string nearest_setting(std::string_view name) {
  std::vector<std::string> words;
  for (size_t i = 0; i < settings::kWordCount; ++i) {
    if (!settings::kWords[i].internal) words.emplace_back(settings::kWords[i].name);
  }
  return nearest_word(name, words);
}

void check_words(const std::vector<std::string>& words, std::string_view where) {
  const auto scratch = std::make_unique<settings::Settings>();
  for (const std::string& word : words) {
    const Word* known = nullptr;
    if (settings::apply(*scratch, word.c_str(), known)) continue;
    const size_t equals = std::min(word.find('='), word.size());
    const std::string_view value = std::string_view(word).substr(std::min(equals + 1, word.size()));
    const std::string message = known == nullptr
                                    ? name_problem(std::string_view(word).substr(0, equals))
                                    : value_problem(*known, value);
    throw ErrorWithStatus((where.empty() ? "" : std::string(where) + ": ") + message, kExitOurs);
  }
}

std::unique_ptr<settings::Settings> settings_of(const std::vector<std::string>& by_hand,
                                                const std::vector<std::string>& options) {
  auto asked = std::make_unique<settings::Settings>();
  const Word* known = nullptr;
  for (const std::string& word : by_hand) settings::apply(*asked, word.c_str(), known);
  for (const std::string& word : options) settings::apply(*asked, word.c_str(), known);
  return asked;
}

void add_word_options(Command& command, std::vector<std::string>& words) {
  for (size_t i = 0; i < settings::kWordCount; ++i) {
    const Word& word = settings::kWords[i];
    if (word.internal || std::string_view(word.name) == "out") continue;
    std::string help = word.help;
    if (word.initial[0] != '\0') help += std::string(" (default: ") + word.initial + ")";
    const std::string name = word.name;
    command
        .add_each(
            "--" + name,
            [&words, name](const std::string& value) {
              words.push_back(std::string(name).append("=").append(value));
            },
            help)
        ->type_name(word.value);
  }
}

}  // namespace heapledger::cli::run
