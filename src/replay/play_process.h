// A player's process: started with nothing but the two files it needs, ended when its time is over,
// and never left behind.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "replay/file_descriptor.h"

namespace heapledger {

struct PlayerCommand {
  std::string path;
  std::vector<std::string> arguments;  // after the two file descriptors, which come first
  std::vector<std::string> environment;
  int schedule = -1;
  int results = -1;
};

// It is a process group of its own, and waits before its exec until go().
class PlayerProcess {
 public:
  // Throws Error when there can be no process.
  explicit PlayerProcess(const PlayerCommand& command);
  ~PlayerProcess();  // kills it, unless it was waited for
  PlayerProcess(const PlayerProcess&) = delete;
  PlayerProcess& operator=(const PlayerProcess&) = delete;

  pid_t pid() const { return pid_; }

  // Lets it begin; from now on it has so long.
  void go(double limit_seconds);

  // Waits for its end, and gives its status.
  int wait();
  // Somebody else has waited for it.
  void has_ended();

  // After its end: 0, or why there was no player at all.
  int exec_error() const;
  bool was_killed() const { return killed_; }
  // The last line of what it wrote to stderr; after its end.
  std::string last_words() const;

 private:
  void watch(std::chrono::steady_clock::time_point until);
  void read_words();
  void stop_watching();

  pid_t pid_ = -1;
  bool ended_ = false;
  FileDescriptor pid_file_;  // a pid may be used again; this stays its own
  FileDescriptor go_;
  FileDescriptor exec_error_;
  FileDescriptor words_;
  FileDescriptor stop_;
  std::string text_;
  std::atomic<bool> killed_ = false;
  std::thread watcher_;
};

}  // namespace heapledger
