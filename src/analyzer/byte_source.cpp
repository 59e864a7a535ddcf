#include "analyzer/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "analyzer/error.h"

namespace heapledger {
namespace {

// A report over the thousands of processes of one build would use up the descriptors: beyond this
// many open files, a file is opened anew for every read.
constexpr int kKeptOpen = 128;
std::atomic<int> kept_open{0};

constexpr uint64_t kLastOffset = INT64_MAX;  // of off_t

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& path) : path_(path) {
    struct stat status;
    if (::stat(path.c_str(), &status) != 0) fail(errno);
    if (S_ISDIR(status.st_mode))
      throw Error(path + ": is a folder, not a ledger", ErrorKind::kQuestion);
    if (!S_ISREG(status.st_mode))
      throw Error(path + ": is not a regular file", ErrorKind::kQuestion);
    device_ = status.st_dev;
    inode_ = status.st_ino;
    int fd = reopen();
    if (fd < 0) fail(errno);
    release(fd);
  }

  ~FileSource() override {
    if (fd_ < 0) return;
    ::close(fd_);
    --kept_open;
  }

  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  const std::string& name() const override { return path_; }

  uint64_t size() override {
    int fd = acquire();
    struct stat status;
    int error = ::fstat(fd, &status) == 0 ? 0 : errno;
    release(fd);
    if (error != 0) fail_reading(error, 0);
    return status.st_size > 0 ? static_cast<uint64_t>(status.st_size) : 0;
  }

  uint64_t next_data(uint64_t offset) override {
    int fd = acquire();
    off_t found = ::lseek(fd, static_cast<off_t>(offset), SEEK_DATA);
    bool none_left = found < 0 && errno == ENXIO;
    release(fd);
    if (none_left) return UINT64_MAX;
    return found < 0 ? offset : static_cast<uint64_t>(found);
  }

  size_t read(uint64_t offset, void* to, size_t count) override {
    int fd = acquire();
    size_t done = 0;
    int error = 0;
    count = std::min<uint64_t>(count, kLastOffset - std::min(offset, kLastOffset));
    while (done < count) {
      ssize_t got = ::pread(fd, static_cast<char*>(to) + done, count - done,
                            static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) error = errno;
      if (got <= 0) break;
      done += static_cast<size_t>(got);
    }
    release(fd);
    if (error != 0) fail_reading(error, offset + done);
    return done;
  }

 private:
  [[noreturn]] void fail(int error) const {
    throw Error("cannot open " + path_ + ": " + std::strerror(error), ErrorKind::kQuestion);
  }

  [[noreturn]] void fail_reading(int error, uint64_t offset) const {
    throw Error(path_ + ": cannot be read at byte " + std::to_string(offset) + ": " +
                    std::strerror(error) +
                    ". Its disk or network fails there; try again, or with a copy of the file",
                ErrorKind::kData);
  }

  // The same file as before, or -1.
  int reopen() const {
    int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return -1;
    struct stat status;
    if (::fstat(fd, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_) return fd;
    ::close(fd);
    errno = ESTALE;
    return -1;
  }

  int acquire() {
    int fd = fd_ >= 0 ? fd_ : reopen();
    if (fd >= 0) return fd;
    if (errno != ESTALE && errno != ENOENT) fail(errno);
    throw Error(path_ + ": was removed or replaced while it was read; try again", ErrorKind::kData);
  }

  void release(int fd) {
    if (fd == fd_) return;
    if (kept_open.fetch_add(1) < kKeptOpen) {
      fd_ = fd;
      return;
    }
    --kept_open;
    ::close(fd);
  }

  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  int fd_ = -1;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string name, std::string_view bytes) : name_(std::move(name)), bytes_(bytes) {}

  const std::string& name() const override { return name_; }
  uint64_t size() override { return bytes_.size(); }

  size_t read(uint64_t offset, void* to, size_t count) override {
    if (offset >= bytes_.size()) return 0;
    return bytes_.copy(static_cast<char*>(to), count, offset);
  }

 private:
  std::string name_;
  std::string bytes_;
};

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::string& path) {
  return std::make_unique<FileSource>(path);
}

std::unique_ptr<ByteSource> in_memory(std::string name, std::string_view bytes) {
  return std::make_unique<MemorySource>(std::move(name), bytes);
}

}  // namespace heapledger
