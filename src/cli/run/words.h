// The options of `heapledger run` that are words of HEAPLEDGER: made from the one table that the
// runtime reads, so that both always say the same. A word that is wrong is refused before the
// program starts, with the nearest right one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "settings/settings.h"

namespace heapledger::cli {
class Command;
}

namespace heapledger::cli::run {

// Adds --mode, --depth, … each of which appends "name=value" to `words`. Not -o: it stands for out.
void add_word_options(Command& command, std::vector<std::string>& words);

// Throws Error for the first word that the runtime would not take. `where` is what the message says
// it stands in: "HEAPLEDGER", or empty for an option.
void check_words(const std::vector<std::string>& words, std::string_view where);

// What the words of HEAPLEDGER and then the options ask for. All of them have been checked.
std::unique_ptr<settings::Settings> settings_of(const std::vector<std::string>& by_hand,
                                                const std::vector<std::string>& options);

// The known name nearest to `name`, or empty when none is near.
std::string nearest_setting(std::string_view name);

}  // namespace heapledger::cli::run
