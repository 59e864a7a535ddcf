// Finds the runtime that belongs to this tool, wherever the two are installed, as a path that
// LD_PRELOAD can hold.
#pragma once

#include <string>

namespace heapledger::cli::run {

// Characters that no path in LD_PRELOAD can have.
inline constexpr const char* kNotInPreload = " :$\t\n";

class RuntimeLibrary {
 public:
  // Throws Error when there is none.
  RuntimeLibrary();
  RuntimeLibrary(const RuntimeLibrary&) = delete;
  RuntimeLibrary& operator=(const RuntimeLibrary&) = delete;
  // Takes the link away again, if one was made.
  ~RuntimeLibrary();

  // Spaces and colons separate the paths in LD_PRELOAD and $ begins a token; a path with one of
  // them is reached through a link in a temporary folder.
  const std::string& preload_path() const { return link_.empty() ? path_ : link_; }

  // Beside it: operator new and delete that call malloc and free, for programs whose allocator
  // brings its own. Empty when LD_PRELOAD cannot hold the path.
  std::string operators_path() const;

  // The folder that the recorder lies in, for linkers.
  std::string place() const { return path_.substr(0, path_.rfind('/')); }

  // The tool itself.
  const std::string& tool_path() const { return tool_; }

  // Programs that go on running need the link for those that they start: leaves it in place.
  // Returns where it is; empty when there is none.
  std::string keep_link();

 private:
  void make_link();

  std::string path_;
  std::string tool_;
  std::string folder_;  // of the link
  std::string link_;
};

}  // namespace heapledger::cli::run
