// Another program that does a part of the work: started with the streams that it is given, waited
// for, and its own words quoted when it fails. It gets no shell: arguments are arguments.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heapledger {

// An open file of our own; closed with the object, and never seen by other programs unless given.
class OpenFile {
 public:
  OpenFile() = default;
  explicit OpenFile(int fd) : fd_(fd) {}
  OpenFile(OpenFile&& other) noexcept : fd_(other.release()) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { close(); }

  int fd() const { return fd_; }
  void close();

  // Gives everything up to the end, piece by piece.
  void read_to_end(const std::function<void(std::string_view)>& use);

  // A file in memory with this content, read from its beginning.
  static OpenFile in_memory(std::string_view content);
  // Both ends of a pipe: the one to read from, the one to write to.
  static std::pair<OpenFile, OpenFile> pipe();

 private:
  int release();

  int fd_ = -1;
};

class Program {
 public:
  // What to do where it is not.
  struct Missing {
    std::string_view package;  // Debian's, that has it
    std::string_view instead;  // what else there is: "write an .svg"
  };

  // Starts it; a stream of -1 is /dev/null. Throws Error when it is not here.
  Program(std::vector<std::string> arguments, const Missing& missing, int in, int out);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  // One that was not waited for is ended.
  ~Program();

  // Throws Error with its first words on stderr when it failed.
  void wait();

 private:
  std::string name_;
  OpenFile words_;
  pid_t pid_ = -1;
};

}  // namespace heapledger
