#include "cli/shared/raw_ledger.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "analyzer/error.h"
#include "cli/shared/problems.h"
#include "cores/to_ledger.h"

namespace heapledger::cli {

RawLedger::RawLedger(const cores::LiveHeap& heap, const std::string& beside, bool quiet)
    : path_(beside + ".XXXXXX") {
  int fd = ::mkstemp(path_.data());
  if (fd < 0) {
    throw Error("cannot write " + beside + ": " + std::generic_category().message(errno),
                ErrorKind::kSystem);
  }
  mode_t mask = ::umask(0);
  ::umask(mask);
  (void)::fchmod(fd, 0666 & ~mask);
  ::close(fd);
  try {
    tell_problems(cores::write_ledger(heap, path_), quiet);
  } catch (...) {
    ::unlink(path_.c_str());
    throw;
  }
}

RawLedger::~RawLedger() {
  ::unlink(path_.c_str());
}

}  // namespace heapledger::cli
