#include "cli/run/seal_later.h"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <unistd.h>

#include <csignal>

namespace heapledger::cli::run {
namespace {

// As posix_spawn wants them; frees what was made.
class Apart {
 public:
  Apart() {
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_init(&files_);
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    const sched_param lowest{};
    ::posix_spawnattr_setschedpolicy(&attributes_, SCHED_IDLE);
    ::posix_spawnattr_setschedparam(&attributes_, &lowest);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                                                 POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSCHEDULER);
    for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      ::posix_spawn_file_actions_addopen(&files_, fd, "/dev/null", O_RDWR, 0);
    }
    // A pipe or a lock that somebody handed to us is not to stay in use.
    ::posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
  }
  ~Apart() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;

  bool start(const std::vector<std::string>& words) const {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t pid;
    return ::posix_spawn(&pid, "/proc/self/exe", &files_, &attributes_, arguments.data(),
                         environ) == 0;
  }

 private:
  posix_spawnattr_t attributes_;
  posix_spawn_file_actions_t files_;
};

}  // namespace

bool seal_later(const std::vector<std::string>& paths, bool no_cache) {
  std::vector<std::string> words = {"heapledger", "seal", "--quiet"};
  if (no_cache) words.push_back("--no-cache");
  words.push_back("--");
  words.insert(words.end(), paths.begin(), paths.end());
  return Apart().start(words);
}

}  // namespace heapledger::cli::run
