#include "cli/report/options.h"

#include "cli/asking/known_words.h"
#include "cli/shared/options.h"
#include "cli/shared/pager.h"

namespace heapledger::cli::report {
namespace {

void add_moments(Command& command, ReportWords& words) {
  add_moment_options(command, words);
  command.add_flag("--live", words.live,
                   "Only what is live at the moment, without figures of the whole run; of a sealed "
                   "ledger little is read for it");
}

void add_views(Command& command, ReportWords& words) {
  command.add_option("--by", words.by, "Group by " + listed(group_words()))
      ->offers(group_words())
      ->type_name("GROUP");
  command.add_flag("--tree", words.tree, "A tree from the outermost functions inwards");
  command.add_flag("--bottom-up", words.bottom_up, "A tree from the allocating functions outwards");
  command.add_option("--callers-of", words.callers_of, "A tree of those who call a function")
      ->type_name("FUNCTION");
  command.add_option("--callees-of", words.callees_of, "A tree of what a function calls")
      ->type_name("FUNCTION");
  command.add_flag("--blocks", words.blocks, "Single live blocks, the largest first");
  command.add_flag("--where-rss", words.where_rss,
                   "What the resident memory is made of, at its peak");
}

void add_selection(Command& command, ReportWords& words) {
  add_filter_option(command, words);
  command
      .add_option("--below", words.below,
                  "Cut stacks there: what such a function calls counts as its own")
      ->type_name("FUNCTION");
  command
      .add_option("--sort", words.sort,
                  "Sort by live (default) or another figure: " + listed(sort_words()))
      ->offers(sort_words())
      ->type_name("MEASURE");
  command.add_option("--top", words.top, "How many lines, sites or blocks to list, 0 for all")
      ->type_name("N");
  command
      .add_option("--frames", words.frames,
                  "How many frames of each stack to show, 0 for all (default: 4)")
      ->type_name("N");
  add_suppressions_option(command, words.suppressions);
}

}  // namespace

void add_report_views(Command& command, ReportOptions& options) {
  add_moments(command, options.words);
  add_views(command, options.words);
  add_selection(command, options.words);
  add_name_options(command, options.names);
  command.add_flag("--json", options.json,
                   "Print JSON, with 1,000 of each list unless --top says how many");
  Paged::add_option(command, options.no_pager);
}

void add_report_options(Command& command, ReportOptions& options) {
  add_ledger_files(command, options.files);
  Option* each = command.add_flag("--each", options.each, "Every ledger on its own");
  command
      .add_option("--worst", options.worst,
                  "Only the process with the most: " + listed(worst_words()))
      ->offers(worst_words())
      ->type_name("MEASURE")
      ->excludes(each);
  add_report_views(command, options);
  command.add_flag("--raw", options.words.raw,
                   "Without a question: whole stacks instead of the lines to blame");
  command.footer(
      "Without a question: the findings, live memory over time, the lines behind the peak, what\n"
      "was never freed, what was freed at once, sizes. With several ledgers the figures are of\n"
      "all processes together, the peak at one moment of common time.\n\n"
      "A FUNCTION or NAME is a part of the name; with *, ? or [ it has to match the whole.\n\n"
      "The exit status is 0, 2 when the command or a file name is wrong, or 3 when a ledger is\n"
      "damaged: what could be read of it is reported all the same.\n\n"
      "Examples:\n"
      "  heapledger report                            the newest run in this folder\n"
      "  heapledger report server.4711.ledger\n"
      "  heapledger report server.4711.ledger --by function --sort temporary\n"
      "  heapledger report server.4711.ledger --at end --tree --below 'parse*'\n"
      "  heapledger report server.4711.ledger --between 10s 20s --filter 'size>=1M'\n"
      "  heapledger report ranks/ --all-runs --worst peak --callers-of read_input\n"
      "  heapledger report server.4711.ledger --json | jq .totals.peak_bytes");
}

}  // namespace heapledger::cli::report
