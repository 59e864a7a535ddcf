// `heapledger run`: its options, its help, and the line between them and the words of the program.
#include <memory>
#include <string>

#include "analyzer/error.h"
#include "cli/commands.h"
#include "cli/run/exit.h"
#include "cli/run/session.h"
#include "cli/run/words.h"
#include "cli/shared/exit_status.h"
#include "cli/shared/options.h"
#include "text/text.h"

namespace heapledger::cli::run {
void add_run(Command& app, int& exit_code) {
  auto options = std::make_shared<RunOptions>();
  Command* command = app.add_subcommand("run", "Run a program and record its heap");
  command
      ->add_option(
          "-o,--output", options->pattern,
          "Name of the recording, or pattern for its ledgers (default: PROGRAM.PID.ledger, "
          "with children the folder PROGRAM.PID.ledgers)")
      ->type_name("PATTERN");
  add_word_options(*command, options->words);
  command->add_flag("-q,--quiet", options->quiet, "Print no summary");
  Option* seal = command->add_option(
      "--seal", options->seal_when,
      "When to compress the ledgers: now, before the command ends, or later, in the background "
      "(default: later on a terminal if it takes long, else now)");
  seal->type_name("WHEN")->one_of({"now", "later"});
  command
      ->add_flag("--no-seal", options->no_seal,
                 "Leave the ledgers raw: not compressed, no names stored")
      ->excludes(seal);
  command->add_flag("--no-cache", options->no_cache,
                    "Look names up anew, and keep nothing in ~/.cache/heapledger");
  command->add_flag("--no-pools", options->no_pools,
                    "Have known pools (Python, GLib, libstdc++, PHP) use malloc block by block");
  command->add_flag("--anyway", options->anyway,
                    "Run even a program that cannot be recorded, or not in full");
  command->add_flag("--view", options->view,
                    "Show the recording in a browser when the program has ended");
  command->add_program(options->command, "The program and its arguments",
                       "heapledger run [OPTIONS] -- CMD [ARGUMENTS]");
  command->footer(
      "Examples:\n"
      "  heapledger run -- ls -l                      record ls, print a summary\n"
      "  heapledger run -o /tmp/make.ledger -- make   record make and all it starts\n"
      "  heapledger run -q -o app.ledger -- ./app     no summary, a name of your own\n\n"
      "x.ledger is what one process leaves; with children it is the folder x.ledgers. In a "
      "PATTERN,\n"
      "which names the ledger of each process, %e is the program, %p its process id, %h the host,\n"
      "%t the start in seconds since the epoch, %j the batch job, %r the rank in it, and %% a\n"
      "percent sign. Folders are made, and no file is ever written over: x.ledger becomes\n"
      "x.2.ledger for the next process.\n\n"
      "The exit status is the program's own, or 128 + N when signal N ended it; 125 when\n"
      "Heapledger refused or failed, 126 when CMD cannot be executed, 127 when it is not there.");
  command->callback([command, options, &exit_code] {
    for (const std::string& word : command->unknown_options()) {
      if (word == "--") continue;
      const std::string meant = command->option_meant(word);
      throw ErrorWithStatus(
          "heapledger run has no option " + quoted(word) + (meant.empty() ? "." : meant) +
              " Options of the program come after it: heapledger run -- CMD " + word,
          kExitOurs);
    }
    exit_code = run_session(*options);
  });
}

}  // namespace heapledger::cli::run
