// Ledgers of live mode have tables instead of entries. Every command reads them as the ordinary
// ledgers that they are made into here: for as long as it runs, or for good.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyzer/byte_source.h"

namespace heapledger::cli {

// A file of our own in memory, which is gone with us, however we end.
class TemporaryFile {
 public:
  // `shown`: what people are shown instead of its path.
  explicit TemporaryFile(std::string shown);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  int fd_ = -1;
  std::string path_;
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

  // The exit status of a command that shows them: not 0 when one is cut short.
  int status() const { return status_; }

 private:
  std::vector<std::unique_ptr<TemporaryFile>> files_;
  std::vector<std::string> paths_;
  int status_ = 0;
};

// Makes a ledger of live mode whose program has ended an ordinary one, in its place. False: it is
// none, or has no tables.
bool make_plain(const std::string& path);

// Whether it is a ledger of live mode whose program has ended without having tried to write its
// tables: there is nothing in it, and never will be.
bool has_lost_tables(const std::string& path);

}  // namespace heapledger::cli
