// `heapledger info`: what is in a ledger.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/files/info_json.h"
#include "cli/files/info_text.h"
#include "cli/shared/ledger_paths.h"
#include "cli/shared/live_ledgers.h"
#include "cli/shared/options.h"
#include "cli/shared/pager.h"
#include "cli/shared/progress_line.h"
#include "cli/shared/warnings.h"
#include "text/text.h"

namespace heapledger::cli::files {
namespace {

struct InfoOptions {
  NamedLedgers files;
  bool json = false;
  bool no_pager = false;
};

int info(const InfoOptions& options) {
  PlainLedgers plain(find_ledger_paths(options.files));
  Options reading;
  reading.asker.progress = a_line_for_each_pass();
  Ledgers ledgers(plain.paths(), reading);
  std::vector<LedgerFacts> facts = ledgers.facts();
  for (LedgerFacts& ledger : facts) ledger.path = shown_path(ledger.path);
  if (options.json) {
    write_info_json(stdout, facts);
  } else {
    Style style = Style::for_stream(STDOUT_FILENO);
    std::string text;
    for (const LedgerFacts& ledger : facts) {
      text += (text.empty() ? "" : "\n") + info_text(ledger, style);
    }
    Paged paged(options.no_pager);
    paged.write(text);
  }
  std::fflush(stdout);
  return std::max(plain.status(), print_warnings(facts, ledgers.refusals()));
}

}  // namespace

void add_info(Command& app, int& exit_code) {
  auto options = std::make_shared<InfoOptions>();
  Command* command = app.add_subcommand("info", "Show what is in a ledger");
  add_ledger_files(*command, options->files);
  command->add_flag("--json", options->json, "Print JSON");
  Paged::add_option(*command, options->no_pager);
  command->footer(
      "The exit status is 0, 2 when the command or a file name is wrong, or 3 when a ledger is\n"
      "damaged: what could be read of it is shown all the same.");
  command->callback([options, &exit_code] { exit_code = info(*options); });
}

}  // namespace heapledger::cli::files
