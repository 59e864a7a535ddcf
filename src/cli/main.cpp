// The heapledger tool: finds the subcommand, and turns whatever goes wrong into a message on stderr
// and an exit status. This is the only place that does.
#include <heapledger.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "analyzer/error.h"
#include "cli/commands.h"
#include "cli/shared/commit.h"
#include "cli/shared/exit_status.h"
#include "cli/shared/options.h"
#include "text/text.h"

namespace heapledger::cli {
namespace {

constexpr int kExitRunFailed = 125;  // of `run`, whose other statuses are the program's

void complain(const std::string& message) {
  // Line by line, so that nothing in a message but our own line breaks reaches the terminal.
  for (size_t from = 0; from <= message.size();) {
    size_t to = std::min(message.find('\n', from), message.size());
    std::string_view line = std::string_view(message).substr(from, to - from);
    std::fprintf(stderr, "%s%s\n", from == 0 ? "heapledger: " : "", printable(line).c_str());
    from = to + 1;
  }
}

std::string version() {
  const std::string text = "heapledger " HEAPLEDGER_VERSION;
  return kCommit[0] == '\0' ? text : text + " (commit " + kCommit + ")";
}

// In groups, by what somebody wants to do.
void add_commands(Command& app, int& exit_code) {
  app.begin_group("Record");
  run::add_run(app, exit_code);
  ctl::add_ctl(app, exit_code);
  doctor::add_doctor(app, exit_code);
  run::add_settings(app, exit_code);
  run::add_link_flags(app, exit_code);
  app.begin_group("Read what was recorded");
  report::add_report(app, exit_code);
  advise::add_advise(app, exit_code);
  files::add_info(app, exit_code);
  report::add_figures(app, exit_code);
  app.begin_group("Compare");
  diff::add_diff(app, exit_code);
  fleet::add_fleet(app, exit_code);
  check::add_check(app, exit_code);
  replay::add_replay(app, exit_code);
  app.begin_group("Look at pictures");
  view::add_view(app, exit_code);
  pictures::add_flamegraph(app, exit_code);
  pictures::add_graph(app, exit_code);
  pictures::add_plot(app, exit_code);
  app.begin_group("A program that runs, or has crashed");
  top::add_top(app, exit_code);
  core::add_snapshot(app, exit_code);
  core::add_core(app, exit_code);
  app.begin_group("Ledgers as files, and other tools");
  files::add_seal(app, exit_code);
  files::add_export(app, exit_code);
  files::add_import(app, exit_code);
  app.begin_group("Help");
  completion::add_completion(app, exit_code);
  help::add_help(app, exit_code);
  app.footer(
      "Begin with these two:\n"
      "  heapledger run -- ./program    record it, see a summary\n"
      "  heapledger report .            see where the memory went\n\n"
      "All about one command: heapledger help COMMAND");
}

int run_tool(int argc, char** argv) {
  Command app("heapledger", "Keeps a ledger of a program's heap: every allocation, exactly.",
              version());
  int exit_code = 0;
  add_commands(app, exit_code);
  switch (app.parse(argc, argv)) {
    case Command::Understood::kOnlyShown:
      return 0;
    case Command::Understood::kNo:
      return app.was_asked_for("run") ? kExitRunFailed : kExitUsage;
    case Command::Understood::kYes:
      break;
  }
  // What failed earlier, nobody remembers why.
  const bool failed_before = std::ferror(stdout) != 0;
  const bool fails = std::fflush(stdout) != 0;
  if (fails || failed_before) {
    complain("cannot write all of the result" +
             (fails ? std::string(": ") + std::strerror(errno) : std::string()));
    return kExitFailed;
  }
  return exit_code;
}

}  // namespace
}  // namespace heapledger::cli

int main(int argc, char** argv) {
  using heapledger::cli::complain;
  try {
    return heapledger::cli::run_tool(argc, argv);
  } catch (const heapledger::Error& error) {
    complain(error.what());
    return heapledger::cli::exit_status_of(error);
  } catch (const std::bad_alloc&) {
    complain("out of memory");
  } catch (const std::exception& error) {
    complain(std::string("internal error: ") + error.what());
  }
  return heapledger::cli::kExitFailed;
}
