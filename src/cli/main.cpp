// The heapledger tool: finds the subcommand, and turns whatever goes wrong into a message on stderr
// and an exit status. This is the only place that does.
#include <heapledger.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "analyzer/error.h"
#include "cli/commands.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr int kExitFailure = 1;
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

int parse_failed(const CLI::App& app, const CLI::ParseError& error) {
  int code = app.exit(error);  // prints: help and version to stdout, complaints to stderr
  if (code == 0) return 0;
  return app.got_subcommand("run") ? kExitRunFailed : kExitUsage;
}

int run_tool(int argc, char** argv) {
  CLI::App app{"Keeps a ledger of a program's heap: every allocation, exactly."};
  app.name("heapledger");
  app.set_version_flag("--version", "heapledger " HEAPLEDGER_VERSION);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  int exit_code = 0;
  add_run(app, exit_code);
  add_report(app, exit_code);
  add_info(app, exit_code);
  add_seal(app, exit_code);
  add_doctor(app, exit_code);
  add_completion(app, exit_code);
  add_diff(app, exit_code);
  add_export(app, exit_code);
  add_import(app, exit_code);
  add_flamegraph(app, exit_code);
  add_graph(app, exit_code);
  add_plot(app, exit_code);
  add_check(app, exit_code);
  add_advise(app, exit_code);
  add_ctl(app, exit_code);
  add_settings(app, exit_code);
  add_core(app, exit_code);
  add_snapshot(app, exit_code);
  add_top(app, exit_code);
  add_replay(app, exit_code);
  add_link_flags(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return parse_failed(app, error);
  }
  if (std::fflush(stdout) != 0) {
    complain("cannot write the result: is the disk full?");
    return kExitFailure;
  }
  return exit_code;
}

}  // namespace
}  // namespace heapledger

int main(int argc, char** argv) {
  using heapledger::complain;
  try {
    return heapledger::run_tool(argc, argv);
  } catch (const heapledger::Error& error) {
    complain(error.what());
    return error.exit_code();
  } catch (const std::bad_alloc&) {
    complain("out of memory");
  } catch (const std::exception& error) {
    complain(std::string("internal error: ") + error.what());
  }
  return heapledger::kExitFailure;
}
