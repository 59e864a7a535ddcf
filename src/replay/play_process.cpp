#include "replay/play_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "analyzer/error.h"

namespace heapledger {
namespace {

constexpr int kScheduleFd = 3;
constexpr int kResultsFd = 4;
constexpr int kErrorFd = 5;
constexpr size_t kMostWords = 4096;

[[noreturn]] void refuse(const char* what) {
  throw Error(
      std::string("The player cannot be started: ") + what + ": " + std::strerror(errno) + ".",
      ErrorKind::kSystem);
}

struct Pipe {
  FileDescriptor read;
  FileDescriptor write;

  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) refuse("a pipe");
    read = FileDescriptor(ends[0]);
    write = FileDescriptor(ends[1]);
  }
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

// What the child needs, prepared before the fork: afterwards nothing may allocate.
struct Child {
  const char* path;
  char* const* arguments;
  char* const* environment;
  pid_t parent;
  int schedule;
  int results;
  int nothing;
  int go;
  int words;
  int error;
};

// Descriptors to the numbers that they have in the player, by way of numbers that nobody wants.
// `error` is where an error can be told meanwhile.
bool place_files(const Child& child, int& error) {
  int from[] = {child.nothing,  child.nothing, child.words,
                child.schedule, child.results, child.error};
  for (int& file : from) {
    file = ::fcntl(file, F_DUPFD_CLOEXEC, 16);
    if (file < 0) return false;
  }
  error = from[kErrorFd];
  for (int to = 0; to < kErrorFd; ++to) {
    if (::dup2(from[to], to) < 0) return false;
  }
  if (::dup3(from[kErrorFd], kErrorFd, O_CLOEXEC) < 0) return false;
  error = kErrorFd;
  // Kernels before 5.9 do not have it; what we open is closed by the exec anyway.
  ::syscall(SYS_close_range, kErrorFd + 1, ~0U, 0);
  return true;
}

[[noreturn]] void be_player(const Child& child) {
  int error_fd = child.error;
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != child.parent) ::_exit(1);
  char letter;
  while (::read(child.go, &letter, 1) < 0 && errno == EINTR) continue;
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int signal : {SIGPIPE, SIGINT, SIGQUIT, SIGTERM, SIGCHLD}) ::signal(signal, SIG_DFL);
  // A heap that is too large for the machine costs this process its life, and no other.
  const int oom = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (oom >= 0) {
    [[maybe_unused]] ssize_t told = ::write(oom, "1000", 4);
    ::close(oom);
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (place_files(child, error_fd)) ::execve(child.path, child.arguments, child.environment);
  const int error = errno;
  [[maybe_unused]] ssize_t written = ::write(error_fd, &error, sizeof error);
  ::_exit(127);
}

}  // namespace

PlayerProcess::PlayerProcess(const PlayerCommand& command) {
  std::vector<std::string> texts = {command.path, std::to_string(kScheduleFd),
                                    std::to_string(kResultsFd)};
  texts.insert(texts.end(), command.arguments.begin(), command.arguments.end());
  const std::vector<char*> arguments = pointers(texts);
  const std::vector<char*> environment = pointers(command.environment);
  Pipe go;
  Pipe words;
  Pipe error;
  const FileDescriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!nothing.is_open()) refuse("/dev/null");
  stop_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC));
  if (!stop_.is_open()) refuse("an event");
  const Child child{command.path.c_str(), arguments.data(), environment.data(), ::getpid(),
                    command.schedule,     command.results,  nothing.get(),      go.read.get(),
                    words.write.get(),    error.write.get()};
  pid_ = ::fork();
  if (pid_ < 0) refuse("fork");
  if (pid_ == 0) be_player(child);
  ::setpgid(pid_, pid_);
  pid_file_ = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  go_ = std::move(go.write);
  exec_error_ = std::move(error.read);
  words_ = std::move(words.read);
  ::fcntl(words_.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(exec_error_.get(), F_SETFL, O_NONBLOCK);
}

PlayerProcess::~PlayerProcess() {
  if (!ended_) {
    ::kill(pid_, SIGKILL);
    wait();
  }
  stop_watching();
}

void PlayerProcess::go(double limit_seconds) {
  const auto limit = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(std::clamp(limit_seconds, 0.001, 1e8)));
  const auto until = std::chrono::steady_clock::now() + limit;
  watcher_ = std::thread([this, until] { watch(until); });
  [[maybe_unused]] ssize_t written = ::write(go_.get(), "g", 1);
}

int PlayerProcess::exec_error() const {
  int error = 0;
  return ::read(exec_error_.get(), &error, sizeof error) == sizeof error ? error : 0;
}

int PlayerProcess::wait() {
  // Whatever it has started goes with it: while nobody has waited for it, the group is its own.
  siginfo_t ended;
  while (::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT | __WALL) < 0 &&
         errno == EINTR) {
  }
  ::kill(-pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, __WALL) < 0 && errno == EINTR) continue;
  has_ended();
  return status;
}

void PlayerProcess::has_ended() {
  ended_ = true;
  stop_watching();
}

void PlayerProcess::stop_watching() {
  if (!watcher_.joinable()) return;
  const uint64_t one = 1;
  [[maybe_unused]] ssize_t written = ::write(stop_.get(), &one, sizeof one);
  watcher_.join();
}

// Reads what it says, so that it never waits for a reader, and looks at the clock.
void PlayerProcess::watch(std::chrono::steady_clock::time_point until) {
  std::array<pollfd, 2> files{{{stop_.get(), POLLIN, 0}, {words_.get(), POLLIN, 0}}};
  while (true) {
    const std::chrono::duration<double, std::milli> left = until - std::chrono::steady_clock::now();
    if (left.count() <= 0 && !killed_) {
      killed_ = true;
      // Without a file of it, its pid is its own for as long as nobody has waited for it; that is
      // told right after.
      if (!pid_file_.is_open() ||
          ::syscall(SYS_pidfd_send_signal, pid_file_.get(), SIGKILL, nullptr, 0) != 0) {
        ::kill(pid_, SIGKILL);
      }
    }
    const double wait = killed_ ? 1000 : std::clamp(std::ceil(left.count()), 1.0, 60000.0);
    if (::poll(files.data(), files.size(), static_cast<int>(wait)) < 0 && errno != EINTR) return;
    read_words();
    if ((files[0].revents & POLLIN) != 0) return;
    if ((files[1].revents & (POLLHUP | POLLERR)) != 0) files[1].fd = -1;
  }
}

void PlayerProcess::read_words() {
  std::array<char, 4096> part;
  // At most so much at a time: one that never stops talking must not stop the clock.
  for (int i = 0; i < 64; ++i) {
    const ssize_t bytes = ::read(words_.get(), part.data(), part.size());
    if (bytes <= 0) return;
    text_.append(part.data(), static_cast<size_t>(bytes));
    if (text_.size() > kMostWords) text_.erase(0, text_.size() - kMostWords);
  }
}

std::string PlayerProcess::last_words() const {
  std::string_view text = text_;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  const size_t line = text.rfind('\n');
  if (line != std::string_view::npos) text.remove_prefix(line + 1);
  return std::string(text);
}

}  // namespace heapledger
