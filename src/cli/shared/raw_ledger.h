// A heap as a raw ledger, beside the file that is to be made of it.
#pragma once

#include <string>

#include "cli/shared/file_beside.h"
#include "cli/shared/problems.h"
#include "cores/to_ledger.h"

namespace heapledger::cli {

class RawLedger {
 public:
  // Tells on stderr what had to be left out, unless `quiet`.
  RawLedger(const cores::LiveHeap& heap, const std::string& beside, bool quiet) : file_(beside) {
    tell_problems(cores::write_ledger(heap, path()), quiet);
  }

  const std::string& path() const { return file_.path(); }

 private:
  FileBeside file_;
};

}  // namespace heapledger::cli
