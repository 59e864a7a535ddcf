// Looks at a program before it is run and tells what would keep it from being recorded: a static
// executable, an allocator inside, another machine or C library, privileges. Nothing is executed,
// and files of any content are safe to look at. Where a file cannot be read or understood nothing
// is claimed: a finding is a fact with a remedy, never a guess.
#pragma once

#include <string>
#include <vector>

namespace heapledger::cli::program_check {

enum class FindingKind {
  kNotFound,            // exec would fail: the command, its interpreter or loader is not there
  kNotExecutable,       // exec would fail: not permitted, or not a whole program
  kOtherMachine,        // another architecture, word size or byte order
  kStatic,              // no loader, no preloading
  kOtherLibrary,        // a loader that is not glibc's
  kPrivileged,          // setuid, setgid, file capabilities: the loader drops preloads
  kSanitizer,           // a sanitizer that insists on being loaded first
  kAllocatorInside,     // malloc in the executable's dynamic symbols shadows every preloaded one
  kAllocatorHidden,     // malloc in the executable, seen by nobody but itself
  kPrefixedAllocator,   // an allocator under other names: recorded, but not what goes through it
  kClearedEnvironment,  // env -i in the script's first line
};

struct ProgramFinding {
  FindingKind kind;
  std::string text;     // what is so, and why it matters: one sentence
  std::string remedy;   // what to do: one sentence
  bool refuses = true;  // false: worth a note, and recorded all the same
};

struct ProgramCheck {
  std::string executable;                // the binary that runs in the end; empty when not found
  std::vector<ProgramFinding> findings;  // in the order of weight

  bool refused() const;
  // What env would exit with if it tried: 0, 126 or 127.
  int exec_failure() const;
};

// `search_path` is the value of PATH, or null when it is not set.
ProgramCheck check_program(const std::string& command, const char* search_path);

}  // namespace heapledger::cli::program_check
