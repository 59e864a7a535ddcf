// `heapledger run`: checks what can be checked, runs the program with the recorder in front of its
// allocator, passes its exit status on, and prints the summary. Everything of ours goes to stderr.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/error.h"
#include "cli/commands.h"
#include "cli/program_check.h"
#include "cli/progress_line.h"
#include "cli/run_environment.h"
#include "cli/run_exit.h"
#include "cli/run_explain.h"
#include "cli/run_ledgers.h"
#include "cli/run_library.h"
#include "cli/run_output.h"
#include "cli/run_process.h"
#include "cli/summary.h"
#include "cli/text.h"

namespace heapledger {
namespace {

struct RunOptions {
  std::string pattern;
  bool quiet = false;
  bool anyway = false;
  std::vector<std::string> command;
};

void say(const std::string& text) {
  std::fprintf(stderr, "heapledger: %s\n", text.c_str());
}

std::string wanted_pattern(const RunOptions& options) {
  if (!options.pattern.empty()) return options.pattern;
  const char* by_hand = std::getenv("HEAPLEDGER");
  std::string pattern = by_hand != nullptr ? word_value(by_hand, "out") : "";
  return pattern.empty() ? std::string(kDefaultPattern) : pattern;
}

// Throws for what cannot be run or recorded, unless it is to run anyway; says what is worth a note.
void heed(const ProgramCheck& check, const RunOptions& options) {
  std::string reasons;
  for (const Finding& finding : check.findings) {
    if (finding.refuses && !options.anyway) {
      reasons += "\n  " + finding.text + "\n  What to do: " + finding.remedy;
    } else if (!options.quiet) {
      say("note: " + finding.text + " " + finding.remedy);
    }
  }
  if (reasons.empty()) return;
  if (check.exec_failure() != 0) {
    throw Error("This program cannot be run." + reasons, check.exec_failure());
  }
  throw Error("This program cannot be recorded, and was not run." + reasons +
                  "\n  To run it all the same, without a true recording: heapledger run --anyway",
              kExitOurs);
}

int exit_code_of(const ProgramEnd& end, const std::string& program) {
  if (end.exec_error != 0) {
    throw Error(quoted(program) + " could not be executed: " + std::strerror(end.exec_error) + ".",
                end.exec_error == ENOENT ? kExitNotFound : kExitNotExecutable);
  }
  return end.signal != 0 ? kExitSignal + end.signal : end.exit_status;
}

// The positional CMD stands for any number of words, which the usual help cannot say.
class RunHelp : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: heapledger run [OPTIONS] -- CMD [ARGUMENTS]\n";
  }
  std::string make_positionals(const CLI::App*) const override { return ""; }
};

// What is still running may start programs that preload the recorder by that path.
void keep_for_the_others(RuntimeLibrary& library, bool quiet) {
  const std::string link = library.keep_link();
  if (!link.empty() && !quiet) {
    say("note: what still runs needs " + quoted(link) + "; remove it when that has ended.");
  }
}

// Whatever goes wrong here is said, and leaves the exit status to the program.
void summarize(const std::vector<std::string>& ledgers, bool running) {
  try {
    print_run_summary(stderr, analyze_with_progress(ledgers));
  } catch (const Error& error) {
    say(error.what());
  }
  if (running) say("note: some of it still runs; this is what has been recorded so far.");
}

int run(const RunOptions& options) {
  if (options.command.empty()) {
    throw Error("There is no program to run. Try: heapledger run -- ls -l", kExitOurs);
  }
  const OutputPattern output(wanted_pattern(options));
  const ProgramCheck check = check_program(options.command[0], std::getenv("PATH"));
  heed(check, options);
  output.check_place();
  RuntimeLibrary library;
  const RecordingRequest request{library.preload_path(), output.absolute(), new_run_id()};

  const ProgramEnd end = run_to_end(options.command, recording_environment(environ, request));
  const int code = exit_code_of(end, options.command[0]);

  const std::vector<RunLedger> ledgers = find_ledgers(output, request.run_id);
  if (ledgers.empty()) {
    say(explain_no_ledger(output, check));
    return code;
  }
  bool running = false;
  std::vector<std::string> paths;
  for (const RunLedger& ledger : ledgers) {
    running = still_recording(ledger) || running;
    paths.push_back(ledger.path);
  }
  if (running) keep_for_the_others(library, options.quiet);
  if (!options.quiet) summarize(paths, running);
  return code;
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run a program and record its heap");
  command
      ->add_option("-o,--output", options->pattern, "Name of the ledgers (default: %e.%p.ledger)")
      ->type_name("PATTERN");
  command->add_flag("-q,--quiet", options->quiet, "Print no summary");
  command->add_flag("--anyway", options->anyway,
                    "Run even a program that cannot be recorded, or not in full");
  // All words from the first one that is no option belong to the program, whatever they look like.
  // "Extra arguments" would have brackets in them interpreted, so these are simply very many.
  command->positionals_at_end();
  command->allow_extras();
  command->add_option("CMD", options->command, "The program and its arguments")
      ->type_name("")
      ->expected(1 << 24)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->formatter(std::make_shared<RunHelp>());
  command->footer(
      "Examples:\n"
      "  heapledger run -- ls -l                      record ls, print a summary\n"
      "  heapledger run -o /tmp/%e.%p.ledger -- make  record make and all it starts\n"
      "  heapledger run -q -o app.ledger -- ./app     no summary, a name of your own\n\n"
      "In PATTERN, %e is the program, %p its process id, %h the host, %t the start in seconds\n"
      "since the epoch, and %% a percent sign. A file is never written over: x.ledger becomes\n"
      "x.2.ledger for the next process.\n\n"
      "The exit status is the program's own, or 128 + N when signal N ended it; 125 when\n"
      "Heapledger refused or failed, 126 when CMD cannot be executed, 127 when it is not there.");
  command->callback([command, options, &exit_code] {
    for (const std::string& word : command->remaining()) {
      if (word == "--") continue;
      throw Error("heapledger run has no option " + quoted(word) +
                      ". Options of the program come after it: heapledger run -- CMD " + word,
                  kExitOurs);
    }
    exit_code = run(*options);
  });
}

}  // namespace heapledger
