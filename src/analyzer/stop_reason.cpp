#include "analyzer/stop_reason.h"

#include <cstring>

#include "format/live_tables.h"

namespace heapledger {
namespace {

const char* reason_text(format::StopReason reason) {
  using format::StopReason;
  if (reason == format::kTablesCut) return "not all of its tables could be written at the end";
  switch (reason) {
    case StopReason::kNone:
      return "it did not stop";
    case StopReason::kDiskFull:
      return "the disk is full";
    case StopReason::kQuota:
      return "the disk quota is used up";
    case StopReason::kFileSizeLimit:
      return "the file size limit (ulimit -f) was reached";
    case StopReason::kNoPermission:
      return "there is no permission to write the ledger";
    case StopReason::kFileGone:
      return "the ledger was deleted, replaced, or is out of reach (chroot)";
    case StopReason::kNoMemory:
      return "no memory could be mapped (ulimit -v, or the machine's limit)";
    case StopReason::kNoDescriptors:
      return "no file descriptor was free (ulimit -n)";
    case StopReason::kIoError:
      return "the ledger could not be written";
    case StopReason::kSeccomp:
      return "the program installed a system call filter that keeps the ledger from growing";
    case StopReason::kTooManyThreads:
      return "more threads were alive than a ledger has room for";
    case StopReason::kNoTicks:
      return "the program forbade itself to read the time stamp counter (PR_SET_TSC), which dates "
             "the entries";
  }
  return "for a reason this version of heapledger does not know";
}

}  // namespace

std::string describe_stop(const format::FileHeader& header) {
  std::string text = reason_text(static_cast<format::StopReason>(header.stop_reason));
  if (header.stop_errno != 0 && header.stop_errno < 4096) {
    text += ": ";
    text += std::strerror(static_cast<int>(header.stop_errno));
  }
  return text;
}

}  // namespace heapledger
