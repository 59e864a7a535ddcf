#include "cli/run/session.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "analyzer/error.h"
#include "cli/program_check/program_check.h"
#include "cli/run/allocator.h"
#include "cli/run/environment.h"
#include "cli/run/exit.h"
#include "cli/run/explain.h"
#include "cli/run/finish.h"
#include "cli/run/interrupt.h"
#include "cli/run/ledgers.h"
#include "cli/run/library.h"
#include "cli/run/output.h"
#include "cli/run/process.h"
#include "cli/run/words.h"
#include "cli/shared/exit_status.h"
#include "text/text.h"

namespace heapledger::cli::run {
namespace {

void say(const std::string& text) {
  std::fprintf(stderr, "heapledger: %s\n", printable(text).c_str());
}

std::string wanted_pattern(const RunOptions& options) {
  if (!options.pattern.empty()) return options.pattern;
  const char* by_hand = std::getenv("HEAPLEDGER");
  std::string pattern = by_hand != nullptr ? word_value(by_hand, "out") : "";
  return pattern.empty() ? std::string(kDefaultPattern) : pattern;
}

// Throws for what cannot be run or recorded, unless it is to run anyway; says what is worth a note.
void heed(const program_check::ProgramCheck& check, const RunOptions& options) {
  std::string reasons;
  for (const program_check::ProgramFinding& finding : check.findings) {
    if (finding.refuses && !options.anyway) {
      reasons += "\n  " + finding.text + "\n  What to do: " + finding.remedy;
    } else if (!options.quiet) {
      say("note: " + finding.text + " " + finding.remedy);
    }
  }
  if (reasons.empty()) return;
  if (check.exec_failure() != 0) {
    throw ErrorWithStatus("This program cannot be run." + reasons, check.exec_failure());
  }
  throw ErrorWithStatus(
      "This program cannot be recorded, and was not run." + reasons +
          "\n  To run it all the same, without a true recording: heapledger run --anyway",
      kExitOurs);
}

int exit_code_of(const ProgramEnd& end) {
  return end.signal != 0 ? kExitSignal + end.signal : end.exit_status;
}

void expect_executed(const ProgramEnd& end, const std::string& program) {
  if (end.exec_error == 0) return;
  throw ErrorWithStatus(
      quoted(program) + " could not be executed: " + std::strerror(end.exec_error) + ".",
      end.exec_error == ENOENT ? kExitNotFound : kExitNotExecutable);
}

// What is still running may start programs that preload the recorder by that path.
void keep_for_the_others(RuntimeLibrary& library, bool quiet) {
  const std::string link = library.keep_link();
  if (!link.empty() && !quiet) {
    say("note: what still runs needs " + quoted(link) + "; remove it when that has ended.");
  }
}

}  // namespace

int run_session(const RunOptions& options) {
  if (options.command.empty()) {
    throw ErrorWithStatus("There is no program to run. Try: heapledger run -- ls -l", kExitOurs);
  }
  const char* by_hand = std::getenv("HEAPLEDGER");
  check_words(options.words, "");
  const std::vector<std::string> words_by_hand = setting_words(by_hand != nullptr ? by_hand : "");
  check_words(words_by_hand, "HEAPLEDGER");
  const auto asked = settings_of(words_by_hand, options.words);
  const OutputPattern output(wanted_pattern(options));
  const program_check::ProgramCheck check =
      program_check::check_program(options.command[0], std::getenv("PATH"));
  heed(check, options);
  output.check_place();
  RuntimeLibrary library;
  std::vector<std::string> words = options.words;
  words.push_back("tool=" + library.tool_path());  // for reports that the program asks for
  const std::string allocator = take_allocator(words);
  RecordingRequest request{library.preload_path(), output.absolute(), new_run_id(), words};
  request.no_pools = options.no_pools;
  request.name_owner = !asked->children;
  if (!allocator.empty()) request.behind = find_allocator(allocator);
  if (!allocator.empty() || brings_operator_new(check.executable)) {
    request.before = library.operators_path();
  }

  std::optional<EndEarly> early;
  const ProgramEnd end = run_to_end(
      options.command, recording_environment(environ, request),
      [&](const ProgramEnd& ended) { early.emplace(exit_code_of(ended), options.quiet); });
  expect_executed(end, options.command[0]);
  const int code = exit_code_of(end);

  const std::vector<RunLedger> ledgers = find_ledgers(output, request.run_id);
  if (ledgers.empty()) {
    say(asked->skip_smaller_than != 0 ? explain_all_skipped(asked->skip_smaller_than)
                                      : explain_no_ledger(output, check));
    return code;
  }
  const bool running = std::any_of(ledgers.begin(), ledgers.end(), still_recording);
  if (running) keep_for_the_others(library, options.quiet);
  finish_run(ledgers, {options.quiet, !options.no_seal, asked->skip_smaller_than}, *early);
  if (running && !options.quiet) {
    say("note: some of it still runs; this is what has been recorded so far.");
  }
  return code;
}

}  // namespace heapledger::cli::run
