// One run, one thing: the folder that all processes of a run have their ledgers in. It has its name
// before the program begins and keeps it, since the runtime opens ledgers by their paths for as
// long as they grow. Where in the end there is one ledger that nobody writes to any more, that
// takes the folder's place. Nothing that is there is ever written over.
#pragma once

#include <string>

namespace heapledger::cli::run {

class RunFolder {
 public:
  // `wanted` is what a single ledger is to be called: the folder of `x.ledger` is `x.ledgers`, or a
  // numbered one where that is taken. `x.ledgers` asks for a folder in any case. Throws Error when
  // it cannot be made.
  explicit RunFolder(const std::string& wanted);

  const std::string& path() const { return path_; }

  // For OutputPattern: a ledger for each process, named after what it executes.
  std::string pattern() const;

  // Moves the only ledger up to where it was wanted, with the files that go along with it, and
  // removes the folder. Returns its new path, or `ledger` where all stays as it is.
  std::string move_up(const std::string& ledger) const;

  // Nobody is to find an empty one.
  void remove_if_empty() const;

 private:
  bool holds_only(const std::string& stem) const;

  std::string wanted_;  // empty: nothing is ever moved up
  std::string path_;
};

// The folder of a fixed name, as above.
std::string run_folder_of(const std::string& wanted);

}  // namespace heapledger::cli::run
