// `heapledger link-flags`: what a compiler has to be told so that a program carries the recorder
// itself. One line on stdout, for $(heapledger link-flags) in a command or a Makefile.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "analyzer/error.h"
#include "cli/commands.h"
#include "cli/run/library.h"
#include "cli/shared/options.h"
#include "format/functions.h"
#include "text/text.h"

namespace heapledger::cli::run {
namespace {

// What libheapledger_static.a hooks besides the functions of malloc's family, which format's table
// names; each is __wrap_NAME there, and a test compares them.
constexpr const char* kWrapped[] = {
    "close",     "close_range", "closefrom",  "dup2",     "dup3",        "prctl",
    "syscall",   "execve",      "execv",      "execvp",   "execvpe",     "execl",
    "execlp",    "execle",      "fexecve",    "execveat", "posix_spawn", "posix_spawnp",
    "sigaction", "signal",      "bsd_signal", "ssignal",  "sysv_signal", "__sysv_signal",
    "sigset",    "siginterrupt"};

bool is_usual(const std::string& folder) {
  return folder.starts_with("/usr/lib") || folder.starts_with("/lib");
}

std::string dynamic_flags(const std::string& folder) {
  // Needed even by a program that itself only calls operator new, which is libstdc++'s.
  std::string flags = "-Wl,--push-state,--no-as-needed ";
  if (!is_usual(folder)) {
    flags += shell_word("-L" + folder) + " " + shell_word("-Wl,-rpath," + folder) + " ";
  }
  return flags + "-lheapledger -Wl,--pop-state";
}

std::string static_flags(const std::string& folder) {
  const std::string archive = folder + "/libheapledger_static.a";
  if (::access(archive.c_str(), R_OK) != 0) {
    throw Error("The recorder for static programs was not found at " + quoted(archive) +
                    ". Build or install Heapledger again.",
                ErrorKind::kSystem);
  }
  std::string flags;
  auto wrap = [&flags](const char* name) { flags += std::string("-Wl,--wrap=") + name + " "; };
  for (size_t i = 0; i < format::kHeapFunctions; ++i) wrap(format::kFunctionTable[i].name);
  for (const char* name : kWrapped) wrap(name);
  // Whole: nothing refers to its constructors, and libc, which refers to its hooks, comes later.
  return flags + "-Wl,--whole-archive " + shell_word(archive) + " -Wl,--no-whole-archive";
}

}  // namespace

void add_link_flags(Command& app, int& exit_code) {
  Command* command =
      app.add_subcommand("link-flags", "Print the flags that link the recorder into a program");
  auto is_static = std::make_shared<bool>(false);
  command->add_flag("--static", *is_static, "For a program linked with -static or -static-pie");
  command->footer(
      "Examples:\n"
      "  cc -o app app.c $(heapledger link-flags)\n"
      "  c++ -static -o app app.cpp $(heapledger link-flags --static)\n\n"
      "The program then records itself whenever it runs: app.PID.ledger in the current folder, or\n"
      "what the variable HEAPLEDGER asks for. HEAPLEDGER=mode=off keeps it quiet.");
  command->callback([is_static, &exit_code] {
    const std::string folder = RuntimeLibrary().place();
    fmt::print("{}\n", *is_static ? static_flags(folder) : dynamic_flags(folder));
    exit_code = 0;
  });
}

}  // namespace heapledger::cli::run
