#include "cli/shared/file_beside.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "analyzer/error.h"

namespace heapledger::cli {

FileBeside::FileBeside(const std::string& beside) : path_(beside + ".XXXXXX") {
  int fd = ::mkstemp(path_.data());
  if (fd < 0) {
    throw Error("cannot write " + beside + ": " + std::generic_category().message(errno),
                ErrorKind::kSystem);
  }
  mode_t mask = ::umask(0);
  ::umask(mask);
  (void)::fchmod(fd, 0666 & ~mask);
  ::close(fd);
}

FileBeside::~FileBeside() {
  ::unlink(path_.c_str());
}

}  // namespace heapledger::cli
