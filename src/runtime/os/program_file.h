// What would run if a file were executed, found out before it is: for which machine, with which
// loader, C library and sanitizer, with which rights; through scripts to their interpreters. Files
// may be damaged or hostile: the reading is bounded, and where nothing is known nothing is claimed.
// What is known of a file is remembered until the file changes.
//
// For the moments before an exec, which may be those of a vfork child, of a fork in a threaded
// program, or of a signal handler: raw system calls, no heap, no lock, no state but atomics.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/unrecorded.h"

namespace heapledger::runtime::os {

// A file, as execveat() takes it.
struct ProgramPlace {
  int folder;        // descriptor, or AT_FDCWD
  const char* path;  // empty, and AT_EMPTY_PATH in `flags`: the descriptor itself
  int flags = 0;
};

struct ProgramFacts {
  format::Unrecorded reason = format::Unrecorded::kNone;  // why it could not be recorded
  bool is_loader = false;  // it is the loader itself, and runs one of its arguments
};

struct ProgramLook {
  bool own_descriptors;  // the descriptors are this process's, and its threads close some
  bool shell_runs_text;  // what is neither a program nor a script is run by /bin/sh
};

ProgramFacts look_at_program(const ProgramPlace& place, ProgramLook look);

// The same for a name that is looked for as execvp does, in the folders of `search_path` (the value
// of PATH, or null).
ProgramFacts look_for_program(const char* name, const char* search_path, ProgramLook look);

// The sanitizer that a library of this name is the runtime of.
format::Unrecorded sanitizer_library(const char* name, size_t length);

}  // namespace heapledger::runtime::os
