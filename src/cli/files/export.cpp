// `heapledger export`: ledgers in the formats of other tools.
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "analyzer/error.h"
#include "cli/asking/asked.h"
#include "cli/asking/known_words.h"
#include "cli/asking/metric_words.h"
#include "cli/asking/selection_words.h"
#include "cli/commands.h"
#include "cli/shared/ledger_paths.h"
#include "cli/shared/opened.h"
#include "cli/shared/options.h"
#include "cli/shared/problems.h"
#include "exporters/exporter.h"

namespace heapledger::cli::files {
namespace {

struct ExportOptions {
  NamedLedgers files;
  std::string format;
  std::string out;
  SelectionWords selection;
  std::string metric;
  std::string separator;
  bool entries = false;
  std::vector<std::string> suppressions;  // files
  NameOptions names;
};

void refuse_if(bool wrong, const Exporter& format, const char* word, const char* why) {
  if (!wrong) return;
  throw Error(std::string(format.name) + " takes no " + word + ": " + why, ErrorKind::kQuestion);
}

// Before the long work: whatever is wrong with the words.
void check_words(const ExportOptions& options, const Exporter& format) {
  const Takes& takes = format.takes;
  const SelectionWords& selection = options.selection;
  refuse_if(!options.metric.empty() && !takes.metric, format, "--metric", "it has them all");
  refuse_if(!selection.at.empty() && takes.range, format, "--at",
            "it shows every moment of the range; take --between");
  refuse_if((!selection.at.empty() || !selection.between.empty()) && !takes.moment && !takes.range,
            format, "--at and --between", "it tells of the whole recording");
  refuse_if(!options.separator.empty() && !takes.separator, format, "--separator",
            "it has no use for one");
  refuse_if(!options.suppressions.empty() && !takes.suppressions, format, "--suppressions",
            "nothing is suppressed in it");
  refuse_if(options.entries && !takes.entries, format, "--entries",
            "take tsv, csv or json for one row a call");
  if (options.entries && !selection.at.empty()) {
    throw Error("--entries takes no --at: every call has a time of its own; take --between",
                ErrorKind::kQuestion);
  }
  if (options.entries && !options.separator.empty()) {
    throw Error("--entries takes no --separator: calls have the number of a site, and no stack",
                ErrorKind::kQuestion);
  }
  if (format.needs_file && options.out.empty()) {
    throw Error(
        std::string(format.name) + (format.makes_folder ? " needs a folder: say where with -o DIR"
                                                        : " needs a file: say where with -o FILE"),
        ErrorKind::kQuestion);
  }
  if (!format.is_text && options.out.empty() && ::isatty(1) != 0) {
    throw Error(std::string(format.name) +
                    " cannot be shown in a terminal: say where it goes with -o FILE." +
                    " For example: -o heap." + std::string(format.extension),
                ErrorKind::kQuestion);
  }
}

int run_export(const ExportOptions& options) {
  const Exporter& format = exporter_named(options.format);
  check_words(options, format);
  Question question;
  understand_selection(options.selection, question);
  const Metric metric = understand_metric(options.metric, !options.selection.at.empty(), question);
  Output output(format.makes_folder ? std::string() : options.out);
  Opened opened(options.files, options.names);
  expect_more_than_counts(opened.ledgers());
  check_moments(opened.ledgers(), question);
  expect_metric(opened.ledgers(), metric);
  ExportRequest request{opened.ledgers(),
                        question,
                        metric,
                        !options.metric.empty(),
                        options.separator.empty() ? ";" : options.separator,
                        options.entries,
                        {},
                        read_suppressions(options.suppressions),
                        options.out};
  format.write(request, output);
  output.finish();
  tell_problems(request.notes, false);
  return opened.warn();
}

std::vector<std::string> format_words() {
  std::vector<std::string> words;
  for (const Exporter& format : exporters()) words.emplace_back(format.name);
  return words;
}

std::string list_of_formats() {
  std::string list;
  for (const Exporter& format : exporters()) {
    std::string name(format.name);
    name.resize(std::max<size_t>(name.size(), 12), ' ');
    list += "  " + name + std::string(format.what) + "\n";
  }
  return list;
}

}  // namespace

void add_export(Command& app, int& exit_code) {
  auto options = std::make_shared<ExportOptions>();
  Command* command = app.add_subcommand("export", "Write ledgers in the formats of other tools");
  add_ledger_files(*command, options->files);
  command->add_option("--to", options->format, "The format: see below")
      ->required()
      ->offers(format_words())
      ->type_name("FORMAT");
  command
      ->add_option("-o,--output", options->out,
                   "Where to; compressed if it ends in .gz or .zst (default: standard output)")
      ->type_name("OUT");
  command
      ->add_option("--metric", options->metric,
                   "What the stacks are weighed by: live (default), peak, never-freed, calls, "
                   "bytes, temporary, time, or any other figure that adds up")
      ->offers(metric_words())
      ->type_name("METRIC");
  add_moment_options(*command, options->selection);
  add_filter_option(*command, options->selection);
  command
      ->add_option("--separator", options->separator,
                   "Between the functions of a stack (default: a semicolon)")
      ->type_name("C");
  command->add_flag("--entries", options->entries, "One row for each call instead of each site");
  add_suppressions_option(*command, options->suppressions);
  add_name_options(*command, options->names);
  command->footer(
      "Formats:\n" + list_of_formats() +
      "\n"
      "With several ledgers the figures are of all processes together, as in a report.\n"
      "Figures of sampled ledgers are the estimates that report shows.\n\n"
      "Examples:\n"
      "  heapledger export server.4711.ledger --to collapsed --metric calls\n"
      "  heapledger export server.4711.ledger --to pprof -o heap.pb.gz");
  command->callback([options, &exit_code] { exit_code = run_export(*options); });
}

}  // namespace heapledger::cli::files
