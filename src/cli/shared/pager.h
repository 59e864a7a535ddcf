// Long results on a terminal, page by page: through $PAGER, or less where that is not set. Never in
// a pipe, never where everything fits on the screen, and never with an effect on the exit status.
#pragma once

#include <string>

namespace heapledger::cli {

class Command;

class Paged {
 public:
  // Adds --no-pager.
  static void add_option(Command& command, bool& no_pager);

  explicit Paged(bool no_pager);
  ~Paged();
  Paged(const Paged&) = delete;
  Paged& operator=(const Paged&) = delete;

  // To stdout; where a pager may be needed, when all of it is there.
  void write(const std::string& text);
  // All that was written is there, and the pager has ended.
  void finish();

 private:
  std::string command_;  // empty: there is none, or none is wanted
  std::string text_;
};

}  // namespace heapledger::cli
