#include "cli/program_check/program_check.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/program_check/binary.h"
#include "cli/program_check/path.h"
#include "cli/program_check/privileges.h"
#include "cli/program_check/script.h"
#include "elf/bytes.h"
#include "elf/image.h"
#include "text/text.h"

namespace heapledger::cli::program_check {
namespace {

// Follows a command through scripts to the binaries that run, collecting what stands against it.
class Walk {
 public:
  Walk(ProgramCheck& check, const char* search_path) : check_(check), search_path_(search_path) {}

  void follow(const std::string& command, const std::string& name, int depth) {
    const FoundProgram found = find_program(command, search_path_);
    if (found.error != 0) {
      add(not_runnable(name, found.error, command.find('/') == std::string::npos));
      return;
    }
    check_.executable = found.path;
    const auto file = elf::ElfBytes::open(found.path);
    if (!file) return;  // executable and not readable: nothing can be said
    if (const auto image = elf::read_elf_image(*file)) {
      look_at_binary(found.path, name, *image);
    } else if (const auto line = parse_script_line(file->head(kScriptHeadBytes))) {
      follow_script(*line, name, depth + 1);
    }
    // Anything else is run by /bin/sh, or by a handler that was registered with the kernel.
  }

 private:
  void add(ProgramFinding finding) { check_.findings.push_back(std::move(finding)); }

  static ProgramFinding not_runnable(const std::string& name, int error, bool searched) {
    if (error == ENOENT && searched) {
      return {FindingKind::kNotFound, name + " was not found in the folders of PATH.",
              "Check the spelling, or give its path, such as ./program."};
    }
    const bool missing = error == ENOENT;
    return {missing ? FindingKind::kNotFound : FindingKind::kNotExecutable,
            name + (missing ? " is not there."
                            : " cannot be executed: " + std::string(std::strerror(error)) + "."),
            missing           ? "Check the path."
            : error == EACCES ? "Make it executable (chmod +x), or name a program."
                              : "Check the path."};
  }

  void look_at_binary(const std::string& path, const std::string& name,
                      const elf::ElfImage& image) {
    const auto own_file = elf::ElfBytes::open("/proc/self/exe");
    const auto own = own_file ? elf::read_elf_image(*own_file) : std::nullopt;
    if (!own) return;
    for (ProgramFinding& finding : binary_findings(name, image, *own)) add(std::move(finding));
    add_privilege(path, name);
  }

  void add_privilege(const std::string& path, const std::string& name) {
    const Privilege gained = gained_privilege(path);
    if (gained == Privilege::kNone) return;
    const std::string how = gained == Privilege::kUser    ? "as another user (setuid)"
                            : gained == Privilege::kGroup ? "as another group (setgid)"
                                                          : "with capabilities of its own";
    add({FindingKind::kPrivileged,
         name + " runs " + how + ": for such programs the loader ignores preloaded libraries.",
         gained == Privilege::kUser
             ? "Record it while logged in as that user, or record a copy without the setuid bit."
             : "Record a copy of it that has no such privilege (cp drops it)."});
  }

  void follow_script(const ScriptLine& line, const std::string& script, int depth) {
    if (depth > kMostInterpreters) {
      add({FindingKind::kNotExecutable,
           script + " is a script run by a script, and so on, more often than Linux allows.",
           "Name a program in its first line."});
      return;
    }
    // The kernel takes the interpreter as a path, never from PATH.
    const std::string path = line.interpreter.find('/') == std::string::npos
                                 ? "./" + line.interpreter
                                 : line.interpreter;
    follow(path, quoted(line.interpreter) + ", the interpreter of " + script + ",", depth);
    if (line.interpreter.substr(line.interpreter.rfind('/') + 1) != "env") return;
    const EnvCommand command = parse_env_argument(line.argument);
    if (command.clears_environment) {
      add({FindingKind::kClearedEnvironment,
           script + " has env clear the environment, and with it the request to record.",
           "Take -i out of its first line, or record its interpreter: heapledger run -- "
           "INTERPRETER SCRIPT."});
    }
    if (command.program.empty()) return;
    follow(command.program, quoted(command.program) + ", the interpreter of " + script + ",",
           depth);
  }

  ProgramCheck& check_;
  const char* search_path_;
};

}  // namespace

bool ProgramCheck::refused() const {
  return std::any_of(findings.begin(), findings.end(),
                     [](const ProgramFinding& finding) { return finding.refuses; });
}

int ProgramCheck::exec_failure() const {
  for (const ProgramFinding& finding : findings) {
    if (finding.kind == FindingKind::kNotFound) return 127;
    if (finding.kind == FindingKind::kNotExecutable) return 126;
  }
  return 0;
}

ProgramCheck check_program(const std::string& command, const char* search_path) {
  ProgramCheck check;
  Walk(check, search_path).follow(command, quoted(command), 0);
  return check;
}

}  // namespace heapledger::cli::program_check
