// Runs graphviz. It gets its input from a file in memory and not through a pipe, so that neither
// side ever waits for the other; no shell is involved.
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "analyzer/error.h"
#include "exporters/graph.h"

extern char** environ;

namespace heapledger {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error(what + ": " + std::generic_category().message(errno), 1);
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {
    if (fd < 0) fail("cannot start graphviz");
  }
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot give graphviz its input");
    text.remove_prefix(static_cast<size_t>(written));
  }
  ::lseek(fd, 0, SEEK_SET);
}

// Everything up to the end.
template <typename Use>
void read_all(int fd, const Use& use) {
  std::array<char, 1 << 16> buffer{};
  for (;;) {
    ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot read what graphviz draws");
    if (count == 0) return;
    use(std::string_view(buffer.data(), static_cast<size_t>(count)));
  }
}

pid_t start(const std::string& format, int in, int out, int errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_adddup2(&actions, errors, 2);
  std::string name = "dot";
  std::string option = "-T" + format;
  std::array<char*, 3> arguments = {name.data(), option.data(), nullptr};
  pid_t pid = 0;
  int error = ::posix_spawnp(&pid, "dot", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) {
    throw Error(
        "graphviz draws this, and its command dot is not here: install the package graphviz, or "
        "write the graph as dot",
        1);
  }
  errno = error;
  if (error != 0) fail("cannot start graphviz");
  return pid;
}

}  // namespace

void render_graph(const std::string& text, std::string_view format, Output& output) {
  Descriptor in(::memfd_create("graph", MFD_CLOEXEC));
  Descriptor errors(::memfd_create("errors", MFD_CLOEXEC));
  write_all(in.get(), text);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("cannot start graphviz");
  Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  pid_t pid = start(std::string(format), in.get(), to.get(), errors.get());
  to.close();
  bool drew = false;
  std::string failure;
  try {
    read_all(from.get(), [&](std::string_view bytes) {
      drew = true;
      output.write(bytes);
    });
  } catch (const Error& error) {
    failure = error.what();
  }
  from.close();  // so that it ends, if it has more to say
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!failure.empty()) throw Error(failure, 1);
  if (drew && WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  std::string message;
  ::lseek(errors.get(), 0, SEEK_SET);
  read_all(errors.get(), [&](std::string_view bytes) { message += bytes; });
  throw Error("graphviz cannot draw this as " + std::string(format) + ": " + message, 1);
}

}  // namespace heapledger
