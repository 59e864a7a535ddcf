// `heapledger fleet`: what the processes of a large job have in common, and which are odd.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

#include "analyzer/error.h"
#include "cli/asking/asked.h"
#include "cli/asking/known_words.h"
#include "cli/asking/selection_words.h"
#include "cli/commands.h"
#include "cli/fleet/reduced.h"
#include "cli/fleet/show.h"
#include "cli/shared/exit_status.h"
#include "cli/shared/options.h"

namespace heapledger::cli::fleet {
namespace {

constexpr size_t kDefaultRows = 20;

struct FleetOptions {
  NamedLedgers files;
  SelectionWords selection;
  std::string by = "owner";
  std::string sort = "live";
  std::string program;
  std::optional<size_t> top;
  std::optional<size_t> jobs;
  std::string reduce;
  double keep = 1;
  bool json = false;
  bool csv = false;
  NameOptions names;
};

std::vector<std::string> groups() {
  return {"owner", "site", "function", "file", "line", "module", "heap", "size-class"};
}

std::vector<std::string> sums() {
  std::vector<std::string> words;
  for (const std::string& word : sort_words()) {
    if (adds_up(parse_measure(word))) words.push_back(word);
  }
  return words;
}

int status_of(const std::vector<Process>& processes) {
  const bool all_read = std::all_of(processes.begin(), processes.end(),
                                    [](const Process& process) { return process.was_read; });
  return all_read ? 0 : kExitBadData;
}

int fleet(const FleetOptions& options) {
  FleetQuestion question;
  understand_selection(options.selection, question.question);
  question.question.by = parse_group_by(options.by);
  question.question.sort = understand_measure(options.sort, sums());
  question.keep = options.keep;
  question.workers =
      options.jobs.value_or(std::max<size_t>(1, std::thread::hardware_concurrency()));
  question.names = options.names;
  const size_t rows = options.top.value_or(options.json || options.csv ? SIZE_MAX : kDefaultRows);
  const size_t top = rows == 0 ? SIZE_MAX : rows;

  NamedLedgers named = options.files;
  named.all_runs = true;  // each rank may have been started by itself
  Gathered gathered = gather(find_ledger_paths(named), question);
  if (!options.reduce.empty()) {
    write_reduced(gathered, question, options.reduce);
    return status_of(gathered.processes);
  }
  const Fleet found = choose(std::move(gathered), options.program);
  std::string text;
  if (options.json) {
    text = fleet_json(found, question.question, top);
  } else if (options.csv) {
    text = fleet_csv(found, top);
  } else {
    text = fleet_text(found, question.question, top, Page::for_stdout());
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  return status_of(found.processes);
}

}  // namespace

void add_fleet(Command& app, int& exit_code) {
  auto options = std::make_shared<FleetOptions>();
  Command* command =
      app.add_subcommand("fleet", "What the processes of a large job have, and which are odd");
  command->add_option("files", options->files.names, "Ledgers, or folders with ledgers: all runs")
      ->type_name("FILE");
  command->add_option("--by", options->by, "Rows by owner (default), site, function, file …")
      ->one_of(groups())
      ->type_name("GROUP");
  command
      ->add_option("--sort", options->sort, "The figure: live (default), or another that adds up")
      ->offers(sums())
      ->type_name("MEASURE");
  command
      ->add_option("--program", options->program,
                   "Only processes of this program (default: what most of the ranks run)")
      ->type_name("NAME");
  add_moment_options(*command, options->selection);
  add_filter_option(*command, options->selection);
  command->add_option("--top", options->top, "How many rows (default 20, 0 for all)")
      ->type_name("N");
  command
      ->add_option(
          "--reduce", options->reduce,
          "Write what fleet needs of these ledgers to a file, which it takes in their place")
      ->type_name("OUT");
  command
      ->add_option(
          "--keep", options->keep,
          "Of each process the largest rows with this share, such as 0.999; the rest is one")
      ->within(0, 1)
      ->type_name("SHARE");
  command->add_option("--jobs", options->jobs, "How many ledgers to read at once")->type_name("N");
  Option* json = nullptr;
  json = command->add_flag("--json", options->json, "Print JSON");
  command->add_flag("--csv", options->csv, "Print a row for each group")->excludes(json);
  add_name_options(*command, options->names);
  command->footer(
      "Every ledger is read for itself, with a peak of its own; only sums are kept.\n\n"
      "Examples:\n"
      "  heapledger fleet job.ledgers\n"
      "  heapledger fleet job.ledgers --by function --sort bytes --filter host=node7");
  command->callback([options, &exit_code] { exit_code = fleet(*options); });
}

}  // namespace heapledger::cli::fleet
