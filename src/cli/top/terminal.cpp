#include "cli/top/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "analyzer/error.h"

namespace heapledger::cli::top {
namespace {

constexpr std::array kSignals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT};

// Another screen, no cursor, and lines that end at the edge; and all that taken back.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";
constexpr std::string_view kLeave = "\x1b[?7h\x1b[?25h\x1b[?1049l\x1b[0m";

// A terminal that is gone takes nothing, and nothing can be done about it.
void send(std::string_view text) {
  while (!text.empty()) {
    ssize_t sent = ::write(STDOUT_FILENO, text.data(), text.size());
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) {
      pollfd out{STDOUT_FILENO, POLLOUT, 0};
      ::poll(&out, 1, -1);
      continue;
    }
    if (sent <= 0) return;
    text.remove_prefix(static_cast<size_t>(sent));
  }
}

sigset_t our_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : kSignals) sigaddset(&set, signal);
  return set;
}

}  // namespace

Terminal::Terminal() {
  const char* kind = std::getenv("TERM");
  bool dumb = kind == nullptr || std::string_view(kind) == "dumb" || *kind == '\0';
  bool both = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
  if (!both || dumb || ::tcgetattr(STDIN_FILENO, &before_) != 0) {
    throw Error("no terminal to draw on; --once or --batch N print to anywhere",
                ErrorKind::kQuestion);
  }
  sigset_t ours = our_signals();
  // Blocked, they wait until we ask for them: nothing is interrupted halfway.
  ::pthread_sigmask(SIG_BLOCK, &ours, &mask_before_);
  signals_ = ::signalfd(-1, &ours, SFD_NONBLOCK | SFD_CLOEXEC);
  enter();
}

Terminal::~Terminal() {
  leave();
  if (signals_ >= 0) ::close(signals_);
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void Terminal::enter() {
  termios raw = before_;
  // Keys as they come, not shown; ^C, ^\ and ^Z stay signals.
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
  raw.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  send(kEnter);
  shown_.clear();
  entered_ = true;
}

void Terminal::leave() {
  if (!entered_) return;
  entered_ = false;
  send(kLeave);
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
}

ScreenSize Terminal::size() const {
  constexpr ScreenSize kLeast{20, 6};
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {};
  return {std::max<size_t>(size.ws_col, kLeast.width),
          std::max<size_t>(size.ws_row, kLeast.height)};
}

void Terminal::draw(const std::vector<std::string>& lines, const std::vector<size_t>& columns) {
  std::string all;
  size_t width = size().width;
  if (shown_.size() != lines.size()) {
    shown_.assign(lines.size(), "");
    all = "\x1b[0m\x1b[2J";
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i] == shown_[i]) continue;
    all += "\x1b[" + std::to_string(i + 1) + ";1H" + lines[i];
    // At the edge there is nothing left, and some terminals would take the last character away.
    if (columns[i] < width) all += "\x1b[K";
  }
  shown_ = lines;
  send(all);
}

TerminalNews Terminal::wait(int milliseconds, int other_fd, std::string& bytes) {
  TerminalNews news;
  std::array<pollfd, 3> all = {
      {{STDIN_FILENO, POLLIN, 0}, {signals_, POLLIN, 0}, {other_fd, POLLIN, 0}}};
  if (::poll(all.data(), all.size(), milliseconds) <= 0) return news;
  if ((all[0].revents & POLLIN) != 0) {
    char read[256];
    ssize_t got = ::read(STDIN_FILENO, read, sizeof read);
    if (got > 0) bytes.append(read, static_cast<size_t>(got));
    news.keys = got > 0;
  }
  // Its other end is gone.
  if ((all[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) news.end = SIGHUP;
  news.noticed = (all[2].revents & POLLIN) != 0;
  if ((all[1].revents & POLLIN) != 0) take_signals(news);
  return news;
}

void Terminal::take_signals(TerminalNews& news) {
  signalfd_siginfo info{};
  while (::read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    auto signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGWINCH) {
      shown_.clear();
      news.redraw = true;
    } else if (signal == SIGTSTP) {
      stop_here();
      news.redraw = true;
    } else if (signal == SIGCONT) {
      // Somebody stopped us without asking, and whoever had the terminal since has left it as they
      // liked.
      enter();
      news.redraw = true;
    } else {
      news.end = signal;
    }
  }
}

void Terminal::stop_here() {
  leave();
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  ::raise(SIGTSTP);  // waits until it is let through
  ::pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);
  ::pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  enter();
}

}  // namespace heapledger::cli::top
