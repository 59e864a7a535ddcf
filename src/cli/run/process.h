// Starts a program as a shell would and waits for its end. The program gets our descriptors 0, 1
// and 2 and whatever else we inherited, the signal mask and dispositions that we were started
// with, and our process group, so that the terminal treats it as if we were not there.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace heapledger::cli::run {

struct ProgramEnd {
  int exec_error = 0;   // errno when it could not be started
  int exit_status = 0;  // when it ended by itself
  int signal = 0;       // when a signal ended it
};

// What is done between the birth of the process and its exec.
struct Beginning {
  // By us, who know its number by then. What it returns is told to the process, which waits for
  // that; where it throws, nothing is run.
  std::function<std::string(pid_t)> prepare;
  // By the process itself: the variables for the program.
  std::function<std::vector<std::string>(const std::string& told)> environment;
};

// Called again and again while the program runs, from the moment of its exec; how long to wait
// until the next time.
using WhileRunning = std::function<std::chrono::nanoseconds()>;

// `command` is not empty; its first word is looked up in PATH. Until the program ends, SIGINT and
// SIGQUIT, which the terminal sends to it as well, do not end us, and what is sent to us alone to
// end or tell a program (SIGTERM, SIGHUP, SIGUSR1, SIGUSR2) is passed on. `ended` is called before
// they can end us again. Throws Error when there is no process to be had.
ProgramEnd run_to_end(const std::vector<std::string>& command, const Beginning& beginning,
                      const WhileRunning& while_running,
                      const std::function<void(const ProgramEnd&)>& ended);

}  // namespace heapledger::cli::run
