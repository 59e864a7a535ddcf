// A heap as a raw ledger, beside the file that is to be made of it, where there is room for it. It
// is gone in the end.
#pragma once

#include <string>

#include "cores/live_heap.h"

namespace heapledger::cli {

class RawLedger {
 public:
  // Tells on stderr what had to be left out, unless `quiet`.
  RawLedger(const cores::LiveHeap& heap, const std::string& beside, bool quiet);
  ~RawLedger();
  RawLedger(const RawLedger&) = delete;
  RawLedger& operator=(const RawLedger&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace heapledger::cli
