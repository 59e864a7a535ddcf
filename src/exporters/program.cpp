#include "exporters/program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "analyzer/error.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): not in every unistd.h

namespace heapledger {
namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  throw Error(what + ": " + std::generic_category().message(error), ErrorKind::kSystem);
}

std::string first_words(int fd) {
  char text[400];
  ssize_t length = ::pread(fd, text, sizeof text, 0);
  std::string words(text, length > 0 ? static_cast<size_t>(length) : 0);
  while (!words.empty() && (words.back() == '\n' || words.back() == ' ')) words.pop_back();
  return words;
}

}  // namespace

void OpenFile::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

int OpenFile::release() {
  return std::exchange(fd_, -1);
}

void OpenFile::read_to_end(const std::function<void(std::string_view)>& use) {
  std::array<char, 1 << 16> buffer{};
  for (;;) {
    ssize_t count = ::read(fd_, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot read what another program writes", errno);
    if (count == 0) return;
    use(std::string_view(buffer.data(), static_cast<size_t>(count)));
  }
}

OpenFile OpenFile::in_memory(std::string_view content) {
  OpenFile file(::memfd_create("heapledger", MFD_CLOEXEC));
  if (file.fd() < 0) fail("cannot make a file in memory", errno);
  while (!content.empty()) {
    ssize_t written = ::write(file.fd(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("cannot write to a file in memory", errno);
    content.remove_prefix(static_cast<size_t>(written));
  }
  ::lseek(file.fd(), 0, SEEK_SET);
  return file;
}

std::pair<OpenFile, OpenFile> OpenFile::pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("cannot make a pipe", errno);
  return {OpenFile(ends[0]), OpenFile(ends[1])};
}

Program::Program(std::vector<std::string> arguments, const Missing& missing, int in, int out)
    : name_(arguments.at(0)), words_(OpenFile::in_memory({})) {
  std::vector<char*> list;
  list.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) list.push_back(argument.data());
  list.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  auto give = [&actions](int fd, int as, int flags) {
    if (fd >= 0) {
      posix_spawn_file_actions_adddup2(&actions, fd, as);
    } else {
      posix_spawn_file_actions_addopen(&actions, as, "/dev/null", flags, 0);
    }
  };
  give(in, 0, O_RDONLY);
  give(out, 1, O_WRONLY);
  give(words_.fd(), 2, O_WRONLY);
  int error = ::posix_spawnp(&pid_, name_.c_str(), &actions, nullptr, list.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return;
  pid_ = -1;
  if (error == ENOENT) {
    throw Error("this needs the program " + name_ + ", which is not here: install the package " +
                    std::string(missing.package) + ", or " + std::string(missing.instead),
                ErrorKind::kSystem);
  }
  fail("cannot start " + name_, error);
}

Program::~Program() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGTERM);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Program::wait() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0) {
    if (errno == EINTR) continue;
    pid_ = -1;
    fail("cannot wait for " + name_, errno);
  }
  pid_ = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  std::string words = first_words(words_.fd());
  std::string how = WIFEXITED(status) ? "ended with status " + std::to_string(WEXITSTATUS(status))
                                      : "was ended by signal " + std::to_string(WTERMSIG(status));
  throw Error(name_ + " " + how + (words.empty() ? "" : ": " + words), ErrorKind::kSystem);
}

}  // namespace heapledger
