// Where the ledgers of a run go: the pattern given with -o, checked before the program starts. The
// pattern language is the runtime's (%e %p %h %t %%); the tool only has to know whether it can be
// followed, and that no file is in the way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heapledger::cli::run {

inline constexpr std::string_view kDefaultPattern = "%e.%p.ledger";

class OutputPattern {
 public:
  // Throws Error when the pattern cannot mean anything: an unknown letter, a varying folder.
  explicit OutputPattern(const std::string& text);

  // Makes the folder where it is missing, with those around it. Returns what was made, the
  // innermost last. Throws Error when that cannot be done.
  std::vector<std::string> make_folder() const;

  // Throws Error when nothing could be written there, or a file is in the way. Before the run.
  void check_place() const;

  // The pattern for the runtime, independent of the current folder.
  std::string absolute() const;

  const std::string& folder() const { return folder_; }  // "." for the current one
  const std::string& shown_folder() const { return shown_folder_; }
  const std::string& name() const { return name_; }

  // Where the pattern has nothing that varies: it names the recording, not a process.
  bool is_fixed() const { return fixed_; }
  std::string fixed_path() const;

 private:
  std::string folder_ = ".";  // as given, %% resolved
  std::string shown_folder_;  // what goes before a name: "", "/", or "folder/"
  std::string name_;          // the last part, still a pattern
  bool fixed_ = true;         // the same name for every process
};

// A text that stands for itself in a pattern.
std::string with_percents_doubled(const std::string& text);

}  // namespace heapledger::cli::run
