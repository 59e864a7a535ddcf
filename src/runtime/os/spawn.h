// Runs another program and waits for it, so that the program we are in cannot tell: its wait() and
// SIGCHLD never see the child, its memory is not copied, its descriptors stay as they are.
#pragma once

namespace heapledger::runtime::os {

struct Spawn {
  const char* path;
  char* const* arguments;    // the last is null
  char* const* environment;  // likewise
  int output;                // becomes the other program's standard output; -1: `output_path` does
  const char* output_path;   // made anew
};

// The exit status of the other program, or -errno when it could not be run; -EINTR when a signal
// ended it. Safe to call from any thread, not in a signal handler.
long run_program(const Spawn& spawn);

}  // namespace heapledger::runtime::os
