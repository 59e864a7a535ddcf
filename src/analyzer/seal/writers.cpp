#include "analyzer/seal/writers.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <fstream>

namespace heapledger::seal {
namespace {

// A lease for reading is given only while nobody has the file open for writing, a mapping
// included. It is for owners (and root), and not on every file system.
enum class Answer { kNo, kYes, kUnknown };

Answer ask_for_lease(int fd) {
  if (::fcntl(fd, F_SETLEASE, F_RDLCK) == 0) {
    ::fcntl(fd, F_SETLEASE, F_UNLCK);
    return Answer::kNo;
  }
  return errno == EAGAIN ? Answer::kYes : Answer::kUnknown;
}

bool maps_file(uint32_t pid, const struct stat& file) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned major, minor;
    uint64_t inode;
    if (std::sscanf(line.c_str(), "%*s %*s %*s %x:%x %" SCNu64, &major, &minor, &inode) == 3 &&
        inode == file.st_ino && major == ::major(file.st_dev) && minor == ::minor(file.st_dev)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool has_writer(const std::string& path, uint32_t pid) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return false;  // opening it for good will say why
  struct stat status;
  bool known = ::fstat(fd, &status) == 0;
  Answer answer = ask_for_lease(fd);
  ::close(fd);
  if (answer != Answer::kUnknown) return answer == Answer::kYes;
  return known && pid != 0 && maps_file(pid, status);
}

}  // namespace heapledger::seal
