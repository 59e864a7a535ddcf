// What ends the tool early once the program has ended: ^C and its like end it at once, with the
// program's own status, since the answer is the program's and the ledgers are whole without us.
// There is one of these in a process, and it stays in force until the process is gone.
#pragma once

#include <exception>

namespace heapledger::cli::run {

// Thrown by EndEarly::check(); nobody but finish_run() needs to know.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

class EndEarly {
 public:
  // From now on SIGINT, SIGQUIT, SIGTERM and SIGHUP (unless ignored) end the process with
  // `exit_code`, saying so unless `quiet`, and neither a limit on file sizes nor a closed pipe
  // does.
  EndEarly(int exit_code, bool quiet);
  ~EndEarly();
  EndEarly(const EndEarly&) = delete;
  EndEarly& operator=(const EndEarly&) = delete;

  // While files are being written, a signal asks for the end, which comes with the next check(), so
  // that nothing is left lying about; but it comes within a second in any case.
  void begin_writing();
  void check() const;  // throws Interrupted
  void say() const;    // that it was interrupted, and what to do
};

}  // namespace heapledger::cli::run
