// Starts a program as a shell would and waits for its end. The program gets our descriptors 0, 1
// and 2 and whatever else we inherited, the signal mask and dispositions that we were started
// with, and our process group, so that the terminal treats it as if we were not there.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace heapledger::cli::run {

struct ProgramEnd {
  int exec_error = 0;   // errno when it could not be started
  int exit_status = 0;  // when it ended by itself
  int signal = 0;       // when a signal ended it
};

// `command` is not empty; its first word is looked up in PATH. Until the program ends, SIGINT and
// SIGQUIT, which the terminal sends to it as well, do not end us, and what is sent to us alone to
// end or tell a program (SIGTERM, SIGHUP, SIGUSR1, SIGUSR2) is passed on. `ended` is called before
// they can end us again. Throws Error when there is no process to be had.
ProgramEnd run_to_end(const std::vector<std::string>& command,
                      const std::vector<std::string>& environment,
                      const std::function<void(const ProgramEnd&)>& ended);

}  // namespace heapledger::cli::run
