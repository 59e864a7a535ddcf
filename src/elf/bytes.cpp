#include "elf/bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace heapledger::elf {

std::optional<ElfBytes> ElfBytes::open(const std::string& path) {
  struct stat info;
  // Looked at before opening as well: opening some devices has effects of its own.
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return std::nullopt;
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    return std::nullopt;
  }
  return ElfBytes(fd, static_cast<uint64_t>(info.st_size));
}

ElfBytes::ElfBytes(ElfBytes&& other) noexcept : fd_(other.fd_), size_(other.size_) {
  other.fd_ = -1;
}

ElfBytes::~ElfBytes() {
  if (fd_ >= 0) ::close(fd_);
}

bool ElfBytes::read(uint64_t offset, void* to, size_t bytes) const {
  if (!inside(offset, bytes)) return false;
  char* next = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = ::pread(fd_, next, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;  // an error, or the file was cut meanwhile
    next += got;
    offset += static_cast<uint64_t>(got);
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

std::string ElfBytes::head(size_t most) const {
  std::string bytes(static_cast<size_t>(std::min<uint64_t>(most, size_)), '\0');
  if (!read(0, bytes.data(), bytes.size())) bytes.clear();
  return bytes;
}

}  // namespace heapledger::elf
