#include "cli/run_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <numeric>

#include "analyzer/error.h"
#include "cli/run_exit.h"
#include "cli/text.h"
#include "settings/settings.h"

namespace heapledger {
namespace {

using settings::Word;

// How many letters must be changed, put in or left out to get from one word to the other.
size_t distance(std::string_view from, std::string_view to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < to.size(); ++j) {
      const size_t changed = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

// The choices in a value such as "trace|sample": what one could have meant.
std::string nearest_choice(std::string_view choices, std::string_view value) {
  std::string best;
  size_t best_distance = 3;
  while (!choices.empty()) {
    const size_t bar = std::min(choices.find('|'), choices.size());
    const std::string_view choice = choices.substr(0, bar);
    const size_t far = distance(value, choice);
    if (far < best_distance && choice != value) {
      best = choice;
      best_distance = far;
    }
    choices.remove_prefix(std::min(bar + 1, choices.size()));
  }
  return best;
}

std::string value_problem(const Word& word, std::string_view value) {
  std::string message = quoted(std::string(value)) + " is no value for " + word.name +
                        ", which takes " + word.value + ".";
  const std::string near = nearest_choice(word.value, value);
  if (!near.empty()) message += " Did you mean " + std::string(word.name) + "=" + near + "?";
  return message;
}

std::string name_problem(std::string_view name) {
  std::string message = "There is no setting " + quoted(std::string(name)) + ".";
  const std::string near = nearest_word(name);
  return message + (near.empty() ? " The manual lists them all." : " Did you mean " + near + "?");
}

}  // namespace

std::string nearest_word(std::string_view name) {
  std::string best;
  size_t best_distance = 3;
  for (size_t i = 0; i < settings::kWordCount; ++i) {
    const Word& word = settings::kWords[i];
    if (word.internal) continue;
    const size_t far = distance(name, word.name);
    if (far >= best_distance) continue;
    best = word.name;
    best_distance = far;
  }
  return best;
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
    throw Error((where.empty() ? "" : std::string(where) + ": ") + message, kExitOurs);
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

void add_word_options(CLI::App& command, std::vector<std::string>& words) {
  for (size_t i = 0; i < settings::kWordCount; ++i) {
    const Word& word = settings::kWords[i];
    if (word.internal || std::string_view(word.name) == "out") continue;
    std::string help = word.help;
    if (word.initial[0] != '\0') help += std::string(" (default: ") + word.initial + ")";
    const std::string name = word.name;
    command
        .add_option_function<std::string>(
            "--" + name,
            [&words, name](const std::string& value) {
              words.push_back(std::string(name).append("=").append(value));
            },
            help)
        ->type_name(word.value);
  }
}

}  // namespace heapledger
