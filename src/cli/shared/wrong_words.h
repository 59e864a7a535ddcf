// What to say to a command line that cannot be understood: which word is wrong, and which one was
// probably meant.
#pragma once

#include <string>
#include <string_view>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
class ParseError;
}  // namespace CLI

namespace heapledger::cli {

std::string what_is_wrong(const CLI::App& tool, const CLI::ParseError& error, char** argv);

// Where to read on: the help of the subcommand, or of the tool.
std::string where_help_is(const CLI::App& tool);

// "; did you mean '--depth'?", or nothing.
std::string option_meant(const CLI::App& command, std::string_view word);

}  // namespace heapledger::cli
