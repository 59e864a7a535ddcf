#include "exporters/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "analyzer/error.h"

namespace heapledger {

Output::Output() = default;

Output::Output(std::string path)
    : path_(std::move(path)), packer_(make_packer(packing_by_name(path_))) {
  if (path_.empty()) return;
  struct stat there {};
  if (::stat(path_.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
    // A pipe or a device cannot be replaced.
    if (S_ISDIR(there.st_mode)) errno = EISDIR;
    fd_ = S_ISDIR(there.st_mode) ? -1 : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail("open");
    return;
  }
  temporary_ = path_ + ".XXXXXX";
  fd_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (fd_ < 0) {
    temporary_.clear();
    fail("make");
  }
  mode_t mask = ::umask(0);
  ::umask(mask);
  (void)::fchmod(fd_, 0666 & ~mask);
}

Output::~Output() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  if (fd_ > 2) ::close(fd_);
}

const std::string& Output::file_for_others() {
  if (temporary_.empty()) {
    throw Error("this format needs a file of its own", ErrorKind::kQuestion);
  }
  if (packer_) {
    throw Error(
        "this format is not compressed here: take a name without .gz or .zst for '" + path_ + "'",
        ErrorKind::kQuestion);
  }
  return temporary_;
}

void Output::finish() {
  flush();
  if (packer_) packer_->finish([this](std::string_view bytes) { write_out(bytes); });
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("name");
  temporary_.clear();
}

void Output::flush() {
  if (packer_) {
    packer_->add(buffer_, [this](std::string_view bytes) { write_out(bytes); });
  } else {
    write_out(buffer_);
  }
  buffer_.clear();
}

void Output::write_out(std::string_view bytes) {
  const char* at = bytes.data();
  size_t left = bytes.size();
  while (left > 0) {
    ssize_t written = ::write(fd_, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write to");
    at += written;
    left -= static_cast<size_t>(written);
  }
}

void Output::fail(const char* what) const {
  std::string why = std::generic_category().message(errno);
  throw Error("cannot " + std::string(what) + " " +
                  (path_.empty() ? "standard output" : "'" + path_ + "'") + ": " + why,
              ErrorKind::kSystem);
}

}  // namespace heapledger
