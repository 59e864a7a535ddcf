// `heapledger settings`: the words of HEAPLEDGER, which are also options of `run`, as the table
// that the manual shows.
#include "settings/settings.h"

#include <fmt/format.h>

#include <string>

#include "cli/commands.h"
#include "cli/shared/options.h"

namespace heapledger::cli::run {
namespace {

// A bar would end the cell.
std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

std::string row_of(const settings::Word& word) {
  const std::string initial = word.initial[0] != '\0' ? fmt::format("`{}`", word.initial) : "";
  return fmt::format("| `{}={}` | {} | {}{} |\n", word.name, cell(word.value), initial, word.help,
                     word.internal ? " (for Heapledger itself)" : "");
}

}  // namespace

void add_settings(Command& app, int& exit_code) {
  Command* sub = app.add_subcommand("settings", "List what a recording can be asked to do");
  sub->footer(
      "Each is a word of the variable HEAPLEDGER and an option of `heapledger run`:\n\n"
      "  HEAPLEDGER='mode=sample every=10s' LD_PRELOAD=libheapledger.so ./program\n"
      "  heapledger run --mode sample --every 10s -- ./program");
  sub->callback([&exit_code] {
    std::string table = "| word | default | meaning |\n|---|---|---|\n";
    for (size_t i = 0; i < settings::kWordCount; ++i) table += row_of(settings::kWords[i]);
    fmt::print("{}", table);
    exit_code = 0;
  });
}

}  // namespace heapledger::cli::run
