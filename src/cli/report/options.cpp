#include "cli/report/options.h"

#include "analyzer/query/figures.h"
#include "cli/shared/options.h"

namespace heapledger::cli::report {
namespace {

std::string measure_words() {
  std::string words;
  for (const FigureRow& row : figure_catalog()) {
    if (!row.word.empty()) words += (words.empty() ? "" : ", ") + std::string(row.word);
  }
  return words;
}

}  // namespace
namespace {

void add_moments(Command& command, ReportWords& words) {
  add_moment_options(command, words);
  command.add_flag("--live", words.live,
                   "Only what is live at the moment, without figures of the whole run; of a sealed "
                   "ledger little is read for it");
}

void add_views(Command& command, ReportWords& words) {
  command
      .add_option("--by", words.by,
                  "Group by site, function, file, line, module, thread, size, size-class, "
                  "lifetime or process")
      ->type_name("GROUP");
  command.add_flag("--tree", words.tree, "A tree from the outermost functions inwards");
  command.add_flag("--bottom-up", words.bottom_up, "A tree from the allocating functions outwards");
  command.add_option("--callers-of", words.callers_of, "A tree of those who call a function")
      ->type_name("FUNCTION");
  command.add_option("--callees-of", words.callees_of, "A tree of what a function calls")
      ->type_name("FUNCTION");
  command.add_flag("--blocks", words.blocks, "Single live blocks, the largest first");
  command.add_flag("--where-rss", words.where_rss, "What the resident memory is made of");
}

void add_selection(Command& command, ReportWords& words) {
  add_filter_option(command, words);
  command
      .add_option("--below", words.below,
                  "Cut stacks there: what such a function calls counts as its own")
      ->type_name("FUNCTION");
  command
      .add_option("--sort", words.sort,
                  "Sort by live (default) or another figure: " + measure_words())
      ->type_name("MEASURE");
  command.add_option("--top", words.top, "How many lines, sites or blocks to list")->type_name("N");
  command
      .add_option("--frames", words.frames,
                  "How many frames of each stack to show, 0 for all (default: 4)")
      ->type_name("N");
  command
      .add_option("--suppressions", words.suppressions,
                  "Never-freed blocks to accept, in LeakSanitizer's syntax: lines of leak:PATTERN")
      ->type_name("FILE");
}

}  // namespace

void add_report_views(Command& command, ReportOptions& options) {
  add_moments(command, options.words);
  add_views(command, options.words);
  add_selection(command, options.words);
  add_name_options(command, options.names);
  command.add_flag("--json", options.json, "Print JSON, with everything that --top leaves");
}

void add_report_options(Command& command, ReportOptions& options) {
  command.add_option("FILE", options.files, "Ledgers, or folders with ledgers")
      ->required()
      ->type_name("");
  Option* each = command.add_flag("--each", options.each, "Every ledger on its own");
  command
      .add_option("--worst", options.worst,
                  "Only the process with the most: peak, live, blocks, calls, bytes, temporary, "
                  "frees, reallocs or rss")
      ->type_name("MEASURE")
      ->excludes(each);
  add_report_views(command, options);
  command.footer(
      "Without a question: the findings, live memory over time, the sites behind the peak, what\n"
      "was never freed, what was freed at once, sizes. With several ledgers the figures are of\n"
      "all processes together, the peak at one moment of common time.\n\n"
      "A FUNCTION or NAME is a part of the name; with *, ? or [ it has to match the whole.\n\n"
      "The exit status is 0, 2 when the command or a file name is wrong, or 3 when a ledger is\n"
      "damaged: what could be read of it is reported all the same.\n\n"
      "Examples:\n"
      "  heapledger report server.4711.ledger\n"
      "  heapledger report server.4711.ledger --by function --sort temporary\n"
      "  heapledger report server.4711.ledger --at end --tree --below 'parse*'\n"
      "  heapledger report server.4711.ledger --between 10s 20s --filter 'size>=1M'\n"
      "  heapledger report ranks/ --worst peak --callers-of read_input\n"
      "  heapledger report server.4711.ledger --json | jq .totals.peak_bytes");
}

}  // namespace heapledger::cli::report
