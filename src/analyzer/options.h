// How ledgers are read, and by whom they are asked.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "analyzer/byte_source.h"

namespace heapledger {

// Somebody who waits for answers: told how far a pass has come, in bytes, and free to give up, upon
// which it ends with an Error of the kind kCancelled.
struct Asker {
  std::function<void(uint64_t done, uint64_t total)> progress;
  std::stop_token stop;
};

struct Options {
  Asker asker;

  // False only in fuzzers, which would never get past them.
  bool check_sums = true;

  // Opens the ledger of a forked process's parent, to tell inherited blocks from unknown ones.
  // Throws Error when it is not there.
  std::function<std::unique_ptr<ByteSource>(const std::string& path)> open_parent = open_file;
};

}  // namespace heapledger
