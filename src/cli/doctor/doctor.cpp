// `heapledger doctor`: what this machine and this program allow.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/error.h"
#include "cli/commands.h"
#include "cli/doctor/checks.h"
#include "cli/doctor/show.h"
#include "cli/pages/page.h"
#include "cli/run/output.h"
#include "cli/shared/options.h"
#include "text/text.h"

namespace heapledger::cli::doctor {
namespace {

constexpr int kExitNotRecordable = 1;

struct DoctorCommand {
  std::vector<std::string> words;  // the program and its arguments
  std::string pattern;
  bool json = false;
  bool self = false;
};

int show(const DoctorCommand& command, const Diagnosis& diagnosis) {
  if (command.json) {
    fmt::print("{}\n", doctor_json(diagnosis));
  } else {
    const Page page = Page::for_stdout();
    fmt::print("{}", doctor_text(diagnosis, page.style, page.width));
  }
  return diagnosis.recordable() ? 0 : kExitNotRecordable;
}

int diagnose(const DoctorCommand& command) {
  Diagnosis diagnosis;
  if (command.self) {
    check_installation(diagnosis);
    return show(command, diagnosis);
  }
  try {
    check_machine(command.pattern, diagnosis);
  } catch (const Error& error) {
    throw Error(error.what(), ErrorKind::kQuestion);
  }
  if (!command.words.empty()) check_command(command.words.front(), diagnosis);
  return show(command, diagnosis);
}

void refuse_unknown(const Command& command) {
  for (const std::string& word : command.unknown_options()) {
    if (word == "--") continue;
    throw Error("heapledger doctor has no option " + quoted(word) + command.option_meant(word) +
                    "\nHow it is called: heapledger help doctor",
                ErrorKind::kQuestion);
  }
}

}  // namespace

void add_doctor(Command& app, int& exit_code) {
  auto command = std::make_shared<DoctorCommand>();
  Command* sub =
      app.add_subcommand("doctor", "Tell what this machine and a program allow, before recording");
  sub->add_option("-o,--output", command->pattern, "Where the ledgers would go, as with run")
      ->type_name("PATTERN");
  sub->add_flag("--json", command->json, "Print one JSON object");
  sub->add_flag("--self", command->self, "Tell what this installation of Heapledger can do");
  sub->add_program(command->words, "The program, and its arguments, which are not looked at",
                   "heapledger doctor [OPTIONS] [--] [CMD [ARGUMENTS]]");
  sub->footer(
      "Nothing is run, and nothing is changed. Each line has a mark: ok; note, for what is worth\n"
      "knowing though it can be recorded; problem, for what is in the way. What to do is below.\n\n"
      "The exit status is 0 when it can be recorded, 1 when not, 2 when the command is wrong.\n\n"
      "Examples:\n"
      "  heapledger doctor                      this machine\n"
      "  heapledger doctor ./server -p 80       the same command line as for run\n"
      "  heapledger doctor --self               what is installed, and what for\n"
      "  heapledger doctor --json python3 | jq .pools");
  sub->callback([sub, command, &exit_code] {
    refuse_unknown(*sub);
    if (command->self && !command->words.empty()) {
      throw Error("--self is about Heapledger, not about a program: doctor --self, or doctor CMD",
                  ErrorKind::kQuestion);
    }
    exit_code = diagnose(*command);
  });
}

}  // namespace heapledger::cli::doctor
