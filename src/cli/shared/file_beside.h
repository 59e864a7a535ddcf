// A file beside the one that is to be made of it, where there is room for it. It is gone in the
// end, whatever happens.
#pragma once

#include <string>

namespace heapledger::cli {

class FileBeside {
 public:
  // Throws Error.
  explicit FileBeside(const std::string& beside);
  ~FileBeside();
  FileBeside(const FileBeside&) = delete;
  FileBeside& operator=(const FileBeside&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace heapledger::cli
