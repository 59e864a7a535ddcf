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
  Option* against = command->add_option("--against", options->against,
                                        "An earlier recording, to compare this one with");
  against->type_name("OLD");
  Option* port = command->add_option("--port", options->port,
                                     "Listen on this port (default: any that is free)");
  port->type_name("N")->within(0, 65535);
  Option* no_browser =
      command->add_flag("--no-browser", options->no_browser, "Open no browser, only print the URL");
  Option* linger = command->add_option("--linger", options->linger,
                                       "How long to go on after the last page was closed (10min)");
  linger->type_name("DURATION");
  command
      ->add_option("--html", options->html,
                   "Write the page to one file with answers inside, to send or keep")
      ->type_name("OUT")
      ->excludes(against)
      ->excludes(port)
      ->excludes(no_browser)
      ->excludes(linger);
  add_name_options(*command, options->names);
  command->footer(
      "The page is served on 127.0.0.1 alone, to whoever has the URL that is printed. To look at\n"
      "it from another machine, forward the port: ssh -L as the command says. It ends with "
      "Ctrl-C,\n"
      "or a while after the last page was closed.\n\n"
      "Examples:\n"
      "  heapledger view                              the newest recording here\n"
      "  heapledger view server.4711.ledger\n"
      "  heapledger view --against old.ledger new.ledger\n"
      "  heapledger view 4711                         a process that runs with --mode live\n"
      "  heapledger view --no-browser --port 8000 .   for a tunnel that is there already\n"
      "  heapledger view . --html run.html            for a mail\n\n"
      "The exit status is 0, 2 when the command or a file name is wrong, or 3 when a ledger is "
      "damaged.");
  command->callback([options, &exit_code] { exit_code = view_ledgers(*options); });
}

}  // namespace heapledger::cli::view
