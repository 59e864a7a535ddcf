// A terminal as a program has it that draws on all of it: keys one by one, a screen of its own, and
// everything as it was before on every way out. One of these at a time, in a process with a
// terminal for standard input and output.
#pragma once

#include <signal.h>
#include <termios.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/top/screen.h"

namespace heapledger::cli::top {

// What wait() was woken by.
struct TerminalNews {
  bool keys = false;     // bytes have been added
  bool redraw = false;   // the size is another one, or somebody else has drawn
  bool noticed = false;  // the other descriptor has something
  int end = 0;           // a signal asks for the end
};

class Terminal {
 public:
  // Throws Error when there is none that could be drawn on.
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  ScreenSize size() const;

  // Sends what differs from what is there already, in one piece.
  void draw(const std::vector<std::string>& lines, const std::vector<size_t>& columns);

  // Until something happens, or so many milliseconds are over (-1: no end). A wish to be stopped
  // (^Z) is granted in here.
  TerminalNews wait(int milliseconds, int other_fd, std::string& bytes);

  // Gives it back; nothing is drawn any more.
  void leave();

 private:
  void enter();
  void stop_here();
  void take_signals(TerminalNews& news);

  termios before_{};
  sigset_t mask_before_{};
  int signals_ = -1;
  bool entered_ = false;
  std::vector<std::string> shown_;
};

}  // namespace heapledger::cli::top
