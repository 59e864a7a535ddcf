#include "analyzer/seal/replacement_file.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "analyzer/error.h"

namespace heapledger::seal {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;

std::string folder_of(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string open_path(int fd) {
  return "/proc/self/fd/" + std::to_string(fd);
}

}  // namespace

uint64_t free_space(const std::string& path) {
  struct statvfs status;
  if (::statvfs(folder_of(path).c_str(), &status) != 0) return UINT64_MAX;
  return uint64_t{status.f_bavail} * status.f_frsize;
}

ReplacementFile::ReplacementFile(std::string target, const struct stat& like)
    : target_(std::move(target)), like_(like) {
  fd_ = ::open(folder_of(target_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd_ < 0) {
    temporary_ = target_ + "." + std::to_string(::getpid()) + ".sealing";
    fd_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd_ < 0) {
      int error = errno;
      temporary_.clear();
      fail("cannot write beside it", error);
    }
  }
}

ReplacementFile::~ReplacementFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void ReplacementFile::fail(const char* what, int error) const {
  throw Error(target_ + ": " + what + ": " + std::strerror(error) + "; nothing was changed",
              ErrorKind::kSystem);
}

void ReplacementFile::append(const void* bytes, size_t count) {
  const auto* from = static_cast<const unsigned char*>(bytes);
  buffer_.insert(buffer_.end(), from, from + count);
  if (buffer_.size() >= kBufferBytes) write_out();
}

void ReplacementFile::write_out() {
  for (size_t done = 0; done < buffer_.size();) {
    ssize_t wrote = ::write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) fail("cannot write the sealed ledger", errno);
    done += static_cast<size_t>(wrote);
  }
  buffer_.clear();
}

std::string ReplacementFile::flush() {
  write_out();
  // The owner may not be ours to give; then nobody gets more than they had.
  bool owned = ::fchown(fd_, like_.st_uid, like_.st_gid) == 0;
  mode_t mode = like_.st_mode & (owned ? 0777u : 0700u);
  if (::fchmod(fd_, mode) != 0) fail("cannot set its permissions", errno);
  struct timespec times[2] = {like_.st_atim, like_.st_mtim};
  ::futimens(fd_, times);
  if (::fsync(fd_) != 0) fail("cannot write the sealed ledger", errno);
  return temporary_.empty() ? open_path(fd_) : temporary_;
}

// rename() replaces, linkat() does not: a file without a name gets a temporary one first.
void ReplacementFile::give_name() {
  for (unsigned attempt = 0; temporary_.empty(); ++attempt) {
    std::string name =
        target_ + "." + std::to_string(::getpid()) + "-" + std::to_string(attempt) + ".sealing";
    if (::linkat(AT_FDCWD, open_path(fd_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) ==
        0) {
      temporary_ = name;
    } else if (errno != EEXIST || attempt == 100) {
      fail("cannot give the sealed ledger its name", errno);
    }
  }
}

// Somebody may have moved the file away, or put another one there, which nobody wants replaced.
void ReplacementFile::check_still_there() const {
  struct stat status;
  if (::stat(target_.c_str(), &status) == 0 && status.st_dev == like_.st_dev &&
      status.st_ino == like_.st_ino) {
    return;
  }
  throw Error(target_ + ": is not the file any more that was read; nothing was changed",
              ErrorKind::kQuestion);
}

void ReplacementFile::commit(bool replace) {
  if (replace) check_still_there();
  give_name();
  int result = replace ? ::rename(temporary_.c_str(), target_.c_str())
                       : ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(),
                                     RENAME_NOREPLACE);
  if (result != 0) fail("cannot put the sealed ledger in its place", errno);
  temporary_.clear();
  int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  ::fsync(folder);
  ::close(folder);
}

}  // namespace heapledger::seal
