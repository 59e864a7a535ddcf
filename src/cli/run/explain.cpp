#include "cli/run/explain.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "format/layout.h"
#include "text/text.h"

namespace heapledger::cli::run {
namespace {

// Below this a ledger cannot even begin: its header and one block.
constexpr uint64_t kLeastBytes = format::kMinHeaderBytes + format::kExtentBytes;

std::string place_problem(const OutputPattern& output) {
  const std::string& folder = output.folder();
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    const int error = errno;
    return "The output folder " + quoted(folder) +
           " cannot be written to any more: " + std::strerror(error) + ". Choose another with -o.";
  }
  struct statvfs disk;
  const bool known = ::statvfs(folder.c_str(), &disk) == 0;
  // What is made up by the kernel (/proc, /sys) has no room at all, and is not full for that.
  if (known && disk.f_blocks == 0) {
    return "No files can be made in " + quoted(folder) + ". Choose another place with -o.";
  }
  if (known && static_cast<uint64_t>(disk.f_bavail) * disk.f_frsize < kLeastBytes) {
    return "The disk that holds " + quoted(folder) +
           " is full. Make room, or choose another place with -o.";
  }
  return {};
}

std::string limit_problem() {
  struct rlimit limit;
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < kLeastBytes) {
    return "The limit on the size of files (ulimit -f) is too small for a ledger. Raise it.";
  }
  return {};
}

}  // namespace

std::string explain_no_ledger(const OutputPattern& output,
                              const program_check::ProgramCheck& check) {
  const std::string start = "Nothing was recorded: the run has left no ledger. ";
  for (const program_check::ProgramFinding& finding : check.findings) {
    if (finding.refuses) return start + finding.text;
  }
  for (const std::string& problem : {place_problem(output), limit_problem()}) {
    if (!problem.empty()) return start + problem;
  }
  return start +
         "The recorder was not loaded, or could not begin: the program, or what it was started "
         "through, may have cleared the environment (env -i, sudo, su), lost the right to write to "
         "the output folder, or have ended before it began. Record the innermost program itself: "
         "sudo heapledger run -- PROGRAM, say, in place of heapledger run -- sudo PROGRAM.";
}

std::string explain_all_skipped(uint64_t calls) {
  return "No ledger is kept: no process made " + with_commas(calls) +
         " calls or more (--skip-smaller-than).";
}

}  // namespace heapledger::cli::run
