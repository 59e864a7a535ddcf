// How ledgers are read, and by whom they are asked.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analyzer/byte_source.h"
#include "analyzer/seal/checkpoint_spacing.h"

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

  // The first pass leaves checkpoints: see Ledgers::take_checkpoints().
  std::optional<seal::CheckpointSpacing> checkpoints;

  // Where first passes that take long are kept for the next time, and the files that the sources
  // read, by which they are known again. No folder: nowhere.
  struct Keeping {
    std::string folder;
    std::vector<std::string> paths;
    uint64_t least_entries = uint64_t{1} << 20;
  };
  Keeping keeping;

  // The first pass makes the index, too, where it can (see Ledgers::make_index()) and where that is
  // kept as well; and one that was kept is asked before another pass is made.
  bool with_index = false;

  // The index has at most so many rows of each kind (index/cube.h): with more, its edges get fewer.
  size_t index_rows = size_t{3} << 20;

  // What the first pass has found is kept in little memory, for those who will ask for long. That
  // takes a moment.
  bool small_accounts = true;

  // Opens the ledger of a forked process's parent, to tell inherited blocks from unknown ones.
  // Throws Error when it is not there.
  std::function<std::unique_ptr<ByteSource>(const std::string& path)> open_parent = open_file;
};

}  // namespace heapledger
