#include "cli/view/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "analyzer/error.h"

namespace heapledger::cli::view {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

[[noreturn]] void refuse_file(const std::string& path) {
  throw Error("cannot write " + path + ", which leads the browser here: " + std::strerror(errno) +
                  ". With --no-browser it is not needed",
              ErrorKind::kSystem);
}

bool is_own_folder(const std::string& path) {
  struct stat facts {};
  return path.starts_with('/') && ::stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
         facts.st_uid == ::geteuid();
}

std::string new_folder() {
  const std::string temporary = variable("TMPDIR");
  std::string folder = (temporary.empty() ? "/tmp" : temporary) + "/heapledger-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) refuse_file(folder);
  return folder;
}

std::string page_to(const std::string& url) {
  return "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" "
         "content=\"no-referrer\">\n"
         "<title>Heapledger</title>\n<meta http-equiv=\"refresh\" content=\"0;url=" +
         url + "\">\n<a href=\"" + url + "\">Heapledger</a>\n";
}

// The first of several that $BROWSER may name.
std::string browser() {
  const std::string named = variable("BROWSER");
  const std::string first = named.substr(0, named.find(':'));
  return first.empty() ? "xdg-open" : first;
}

}  // namespace

bool has_display() {
  return !variable("DISPLAY").empty() || !variable("WAYLAND_DISPLAY").empty() ||
         !variable("BROWSER").empty();
}

RedirectFile::RedirectFile(const std::string& url) {
  std::string folder = variable("XDG_RUNTIME_DIR");
  if (!is_own_folder(folder)) folder = folder_ = new_folder();
  constexpr std::string_view kEnding = ".html";
  path_ = folder + "/heapledger-view-XXXXXX" + std::string(kEnding);
  // With mode 0600.
  const int fd = ::mkostemps(path_.data(), static_cast<int>(kEnding.size()), O_CLOEXEC);
  if (fd < 0) refuse_file(path_);
  const std::string page = page_to(url);
  const bool whole = ::write(fd, page.data(), page.size()) == static_cast<ssize_t>(page.size());
  ::close(fd);
  if (!whole) refuse_file(path_);
}

RedirectFile::~RedirectFile() {
  ::unlink(path_.c_str());
  if (!folder_.empty()) ::rmdir(folder_.c_str());
}

bool open_in_browser(const std::string& path) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t none;
  sigemptyset(&none);
  posix_spawn_file_actions_init(&files);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
  }
  posix_spawnattr_init(&how);
  posix_spawnattr_setsigmask(&how, &none);
  // A Ctrl-C is for us alone.
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  std::string program = browser();
  std::string argument = path;
  const std::array<char*, 3> words = {program.data(), argument.data(), nullptr};
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, program.c_str(), &files, &how, words.data(), environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return failed == 0;
}

}  // namespace heapledger::cli::view
