// `heapledger view`: its options and its help.
#include <memory>

#include "cli/commands.h"
#include "cli/shared/options.h"
#include "cli/view/view.h"

namespace heapledger::cli::view {

void add_view(Command& app, int& exit_code) {
  auto options = std::make_shared<ViewOptions>();
  Command* command = app.add_subcommand("view", "Look at it in a browser");
  add_ledger_files(*command, options->files);
  command->add_option("--port", options->port, "Listen on this port (default: any that is free)")
      ->type_name("N")
      ->within(0, 65535);
  command->add_flag("--no-browser", options->no_browser, "Open no browser, only print the URL");
  command
      ->add_option("--linger", options->linger,
                   "How long to go on after the last page was closed (10min)")
      ->type_name("DURATION");
  add_name_options(*command, options->names);
  command->footer(
      "The page is served on 127.0.0.1 alone, to whoever has the URL that is printed. To look at\n"
      "it from another machine, forward the port: ssh -L as the command says. It ends with "
      "Ctrl-C,\n"
      "or a while after the last page was closed.\n\n"
      "Examples:\n"
      "  heapledger view                              the newest recording here\n"
      "  heapledger view server.4711.ledger\n"
      "  heapledger view --no-browser --port 8000 .   for a tunnel that is there already\n\n"
      "The exit status is 0, 2 when the command or a file name is wrong, or 3 when a ledger is "
      "damaged.");
  command->callback([options, &exit_code] { exit_code = view_ledgers(*options); });
}

}  // namespace heapledger::cli::view
