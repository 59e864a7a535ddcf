#include "cli/replay/record.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "analyzer/error.h"
#include "analyzer/ledger_file.h"
#include "cli/shared/live_ledgers.h"
#include "text/text.h"

namespace heapledger::cli::replay {

void expect_place_for_ledger(const std::string& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) == 0) {
    throw Error("--record-to: " + quoted(path) +
                    " is there already; name a file that is not, or remove that one",
                ErrorKind::kQuestion);
  }
  // Whether a file can be made there, nobody knows before it was tried.
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) {
    const std::string why = ::strerror(errno);
    const size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    const bool there = ::stat(folder.c_str(), &status) == 0;
    throw Error("--record-to: no file can be made at " + quoted(path) + ": " +
                    (there ? why : "there is no folder " + quoted(folder)) +
                    "; name a place that can be written to",
                ErrorKind::kQuestion);
  }
  ::close(file);
  ::unlink(path.c_str());
}

void expect_recorded(const std::string& path) {
  try {
    const LedgerFile ledger(open_shown(path));
  } catch (const Error& error) {
    throw Error(
        std::string("The replay was played, and its recorder left no ledger: ") + error.what(),
        ErrorKind::kSystem);
  }
}

}  // namespace heapledger::cli::replay
