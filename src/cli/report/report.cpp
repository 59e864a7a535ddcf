// `heapledger report`: what the ledgers say, as a whole or to a question.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/error.h"
#include "cli/asking/asked.h"
#include "cli/asking/known_words.h"
#include "cli/commands.h"
#include "cli/pages/page.h"
#include "cli/report/counts.h"
#include "cli/report/json.h"
#include "cli/report/options.h"
#include "cli/report/report.h"
#include "cli/report/text.h"
#include "cli/shared/exit_status.h"
#include "cli/shared/ledger_paths.h"
#include "cli/shared/live_ledgers.h"
#include "cli/shared/opened.h"
#include "cli/shared/options.h"
#include "cli/shared/pager.h"
#include "cli/shared/progress_line.h"

namespace heapledger::cli::report {
namespace {

void write_text(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

// `before` is written before the report, when there is one.
int report_on(const NamedLedgers& files, const ReportOptions& options, const Asked& asked,
              Paged& paged, const std::string& before = "") {
  NameOptions names = options.names;
  names.whole = !asked.question.only_live;
  Opened opened(files, names);
  if (!asked.question.only_live && asked.view != ReportView::kOverview) {
    expect_more_than_counts(opened.ledgers());
  }
  check_moments(opened.ledgers(), asked.question);
  if (options.json) {
    write_report_json(stdout, opened.ledgers(), asked, before);
  } else {
    paged.write(before + report_text(opened.ledgers(), asked, Page::for_stdout()));
    if (!options.each) paged.finish();
  }
  return opened.warn();
}

// One after the other; one that cannot be read does not keep the others from it. What was begun is
// always ended, and when nothing could be read nothing is written.
int report_each(const ReportOptions& options, const Asked& asked) {
  std::vector<Error> failures;
  int exit_code = 0;
  const char* before =
      options.json ? "{\"schema\": \"heapledger.reports/3\", \"reports\": [\n" : "";
  bool any = false;
  Paged paged(options.no_pager);
  for (const std::string& path : find_ledger_paths(options.files)) {
    try {
      exit_code = std::max(exit_code, report_on({path}, options, asked, paged, before));
      before = options.json ? ",\n" : "\n";
      any = true;
    } catch (const Error& error) {
      failures.push_back(error);
      exit_code = std::max(exit_code, exit_status_of(error));
    }
  }
  paged.finish();
  if (options.json && any) write_text("]}\n");
  std::fflush(stdout);
  if (!failures.empty()) throw ErrorWithStatus(all_of(failures).what(), exit_code);
  return exit_code;
}

// The file of the process with the most of a measure.
std::string worst_of(const NamedLedgers& files, Measure measure) {
  PlainLedgers plain(find_ledger_paths(files));
  ProgressLine line;
  Options reading;
  reading.asker.progress = [&line](uint64_t done, uint64_t total) { line.update(done, total); };
  Ledgers ledgers(plain.paths(), reading);
  return shown_path(ledgers.facts()[ledgers.worst(measure)].path);
}

}  // namespace

int report(const ReportOptions& options) {
  Asked asked = understand(options.words);
  if (options.each) return report_each(options, asked);
  Paged paged(options.no_pager);
  if (options.worst.empty()) return report_on(options.files, options, asked, paged);
  Measure measure = understand_measure(options.worst, worst_words());
  return report_on({worst_of(options.files, measure)}, options, asked, paged);
}

void add_report(Command& app, int& exit_code) {
  auto options = std::make_shared<ReportOptions>();
  Command* command = app.add_subcommand("report", "Show where the memory goes");
  add_report_options(*command, *options);
  command->callback([options, &exit_code] { exit_code = report(*options); });
}

}  // namespace heapledger::cli::report
