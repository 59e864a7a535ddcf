// `heapledger figures`: the catalogue of figures, as the table that the manual shows.
#include "analyzer/query/figures.h"

#include <fmt/format.h>

#include <string>

#include "cli/commands.h"
#include "cli/shared/options.h"

namespace heapledger::cli::report {
namespace {

std::string code_or_nothing(std::string_view text) {
  return text.empty() ? "" : fmt::format("`{}`", text);
}

std::string_view unit_word(FigureUnit unit) {
  return unit == FigureUnit::kBytes ? "bytes" : unit == FigureUnit::kCount ? "number" : "ns";
}

}  // namespace

void add_figures(Command& app, int& exit_code) {
  Command* sub = app.add_subcommand("figures", "List the figures that reports have");
  sub->footer(
      "WORD is what --sort takes, in report and diff, and check as --max-WORD where it adds up;\n"
      "KEY is its name in JSON, tables and databases.");
  sub->callback([&exit_code] {
    std::string table = "| word | key | in | adds up | meaning |\n|---|---|---|---|---|\n";
    for (const FigureRow& row : figure_catalog()) {
      table += fmt::format("| {} | {} | {} | {} | {} |\n", code_or_nothing(row.word),
                           code_or_nothing(row.key), unit_word(row.unit),
                           adds_up(row.measure) ? "yes" : "", row.help);
    }
    fmt::print("{}", table);
    exit_code = 0;
  });
}

}  // namespace heapledger::cli::report
