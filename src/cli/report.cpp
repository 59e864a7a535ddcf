// `heapledger report`: totals and the sites behind them.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/ledger_paths.h"
#include "cli/progress_line.h"
#include "cli/report_json.h"
#include "cli/report_text.h"
#include "cli/report_warnings.h"
#include "cli/text.h"

namespace heapledger {
namespace {

constexpr size_t kDefaultTop = 10;
constexpr size_t kDefaultFrames = 8;

struct ReportOptions {
  std::vector<std::string> files;
  bool json = false;
  CLI::Option* top_option = nullptr;
  size_t top = kDefaultTop;
  size_t frames = kDefaultFrames;
};

int report(const ReportOptions& options) {
  Analysis analysis = analyze_with_progress(find_ledger_paths(options.files));
  if (options.json) {
    bool limited = options.top_option->count() > 0;
    write_report_json(stdout, analysis, limited ? options.top : SIZE_MAX);
  } else {
    std::string text =
        report_text(analysis, options.top, options.frames == 0 ? SIZE_MAX : options.frames,
                    Style::for_stream(STDOUT_FILENO));
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  std::fflush(stdout);
  return print_warnings(analysis);
}

}  // namespace

void add_report(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Show totals and the sites that allocate most");
  command->add_option("FILE", options->files, "Ledgers, or folders with ledgers")
      ->required()
      ->type_name("");
  command->add_flag("--json", options->json, "Print JSON, with all sites");
  options->top_option =
      command->add_option("--top", options->top, "How many sites to list (default: 10)")
          ->type_name("N");
  command
      ->add_option("--frames", options->frames,
                   "How many frames of each stack to show, 0 for all (default: 8)")
      ->type_name("N");
  command->footer(
      "With several ledgers the figures are of all processes together, the peak at one moment of\n"
      "common time.\n\n"
      "The exit status is 0, 2 when the command or a file name is wrong, or 3 when a ledger is\n"
      "damaged: what could be read of it is reported all the same.");
  command->callback([options, &exit_code] { exit_code = report(*options); });
}

}  // namespace heapledger
