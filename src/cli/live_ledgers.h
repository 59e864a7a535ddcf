// Ledgers of live mode have tables instead of entries. Every command reads them as the ordinary
// ledgers that they are made into here: for as long as it runs, or for good.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyzer/byte_source.h"

namespace heapledger {

// A folder of our own for files that are gone when it is.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // A path in it, ending in the file name of `path`, which is what people are shown instead;
  // another one each time.
  std::string place_for(const std::string& path);

 private:
  std::string path_;
  unsigned count_ = 0;
};

// What to call a file when talking to people: its path, or what a temporary one stands for.
std::string shown_path(const std::string& path);

// Opens a ledger, called so.
std::unique_ptr<ByteSource> open_shown(const std::string& path);

class PlainLedgers {
 public:
  // Throws Error when one of them has no tables to be read, with what would help; where there are
  // others, it is left out and told on stderr.
  explicit PlainLedgers(std::vector<std::string> paths);

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::unique_ptr<TemporaryFolder> folder_;
  std::vector<std::string> paths_;
};

// Makes a ledger of live mode whose program has ended an ordinary one, in its place. False: it is
// none, or has no tables.
bool make_plain(const std::string& path);

}  // namespace heapledger
