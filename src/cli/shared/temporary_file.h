// A file beside the one that is to be made of it, where there is room for it. It is gone in the
// end, whatever happens.
#pragma once

#include <string>

namespace heapledger::cli {

class TemporaryFile {
 public:
  // Throws Error.
  explicit TemporaryFile(const std::string& beside);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace heapledger::cli
