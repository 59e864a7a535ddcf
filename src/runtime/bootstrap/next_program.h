// Another program is about to run, in this process's place or as its child. Where our library
// cannot be loaded into it, our variables would hurt it: then it gets an environment without them,
// as it would have had without us. That it is not recorded is noted in the ledger.
//
// For the moments before an exec: no heap, no lock, raw system calls, errno untouched; and none at
// all where a system call filter is expected.
#pragma once

#include <cstddef>

#include "runtime/ledger/unrecorded.h"

namespace heapledger::runtime {

struct NextProgram {
  enum class By { kPath, kName, kDescriptor };
  By by = By::kPath;
  const char* file = "";  // kPath: its path; kName: what is looked for in PATH
  int folder = -100;      // kPath: AT_FDCWD, or what the path is relative to; kDescriptor: it
  int flags = 0;          // of execveat
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
};

struct Departure {
  bool without_us = false;  // our variables have to be left out
  UnrecordedProgram unrecorded = {};
};

// At the start of a fresh image, with the path of its ledger.
void prepare_departures(const char* ledger);

// Looks at the program. `unrecorded.reason` is kNone when there is nothing to note.
Departure before_departure(const NextProgram& program);

// Notes it in the ledger; `pid`: of the process that runs it.
UnrecordedNote note_departure(const Departure& departure, uint32_t pid);

// The bytes that the environment without us takes, and the environment in them.
size_t bytes_without_us(char* const* environment);
char** environment_without_us(char* const* environment, void* room);

}  // namespace heapledger::runtime
