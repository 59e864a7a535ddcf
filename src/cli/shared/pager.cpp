#include "cli/shared/pager.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "cli/shared/options.h"

namespace heapledger::cli {
namespace {

constexpr int kNoSuchCommand = 127;  // of the shell

bool is_installed(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view folders = path != nullptr ? path : "/usr/bin:/bin";
  while (!folders.empty()) {
    const size_t end = std::min(folders.find(':'), folders.size());
    const std::string file = std::string(folders.substr(0, end)).append("/").append(name);
    if (::access(file.c_str(), X_OK) == 0) return true;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return false;
}

std::string wanted_pager() {
  const char* terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return "";
  if (::isatty(STDOUT_FILENO) != 1) return "";
  if (const char* own = std::getenv("PAGER")) return std::string_view(own) == "cat" ? "" : own;
  return is_installed("less") ? "less" : "";
}

bool fits_on_the_screen(const std::string& text) {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return true;
  return std::count(text.begin(), text.end(), '\n') < size.ws_row;
}

// While a pager runs, it is the one that keys and closed pipes are for.
class SignalsIgnored {
 public:
  SignalsIgnored() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    for (size_t i = 0; i < std::size(kSignals); ++i) ::sigaction(kSignals[i], &ignore, &before_[i]);
  }
  ~SignalsIgnored() {
    for (size_t i = 0; i < std::size(kSignals); ++i) {
      ::sigaction(kSignals[i], &before_[i], nullptr);
    }
  }
  SignalsIgnored(const SignalsIgnored&) = delete;
  SignalsIgnored& operator=(const SignalsIgnored&) = delete;

 private:
  static constexpr int kSignals[] = {SIGINT, SIGQUIT, SIGPIPE};
  struct sigaction before_[std::size(kSignals)] = {};
};

[[noreturn]] void become_pager(const std::string& command, const int* ends) {
  ::dup2(ends[0], STDIN_FILENO);
  ::close(ends[0]);
  ::close(ends[1]);
  // Colours, no clearing of the screen, and an end by itself where one screen is enough.
  ::setenv("LESS", "FRX", 0);
  ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
  ::_exit(kNoSuchCommand);
}

void write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(to, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // whoever reads has seen enough
    text.remove_prefix(static_cast<size_t>(written));
  }
}

// False: there is no such pager, and nobody has seen the text.
bool show_in(const std::string& command, const std::string& text) {
  int ends[2];
  if (::pipe(ends) != 0) return false;
  const pid_t pager = ::fork();
  if (pager == 0) become_pager(command, ends);
  ::close(ends[0]);
  int status = 0;
  if (pager > 0) {
    const SignalsIgnored ignored;
    write_all(ends[1], text);
    ::close(ends[1]);
    while (::waitpid(pager, &status, 0) < 0 && errno == EINTR) {
    }
    return !WIFEXITED(status) || WEXITSTATUS(status) != kNoSuchCommand;
  }
  ::close(ends[1]);
  return false;
}

}  // namespace

void Paged::add_option(Command& command, bool& no_pager) {
  command.add_flag("--no-pager", no_pager,
                   "Print it all at once, not through $PAGER, where it is longer than the screen");
}

Paged::Paged(bool no_pager) : command_(no_pager ? "" : wanted_pager()) {}

Paged::~Paged() {
  finish();
}

void Paged::write(const std::string& text) {
  if (command_.empty()) {
    std::fwrite(text.data(), 1, text.size(), stdout);
  } else {
    text_ += text;
  }
}

void Paged::finish() {
  if (text_.empty()) return;
  std::fflush(stdout);
  const bool shown = !fits_on_the_screen(text_) && show_in(command_, text_);
  if (!shown) std::fwrite(text_.data(), 1, text_.size(), stdout);
  std::fflush(stdout);
  text_.clear();
}

}  // namespace heapledger::cli
