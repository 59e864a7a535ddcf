// A browser that is led to a URL without anybody else on this machine seeing it: not in the list of
// processes, where arguments are, but in a file that only its owner can read.
#pragma once

#include <string>

namespace heapledger::cli::view {

// There is somebody to see it.
bool has_display();

// Gone with us.
class RedirectFile {
 public:
  // In $XDG_RUNTIME_DIR, or a folder of its own among the temporary files. Throws Error.
  explicit RedirectFile(const std::string& url);
  ~RedirectFile();
  RedirectFile(const RedirectFile&) = delete;
  RedirectFile& operator=(const RedirectFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::string folder_;  // of its own; empty: none
};

// With $BROWSER or xdg-open, which goes on without us. False: there is none.
bool open_in_browser(const std::string& path);

}  // namespace heapledger::cli::view
