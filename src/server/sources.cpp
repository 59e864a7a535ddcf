#include "server/sources.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string_view>

#include "analyzer/error.h"
#include "text/text.h"

namespace heapledger::server {
namespace {

constexpr std::array<std::string_view, 62> kEndings = {
    "C",   "H",    "S",   "ada", "adb", "ads", "asm",   "c",     "c++", "cc",  "cl",  "cpp", "cr",
    "cs",  "cu",   "cuh", "cxx", "d",   "el",  "erl",   "ex",    "f",   "f03", "f08", "f90", "f95",
    "for", "fs",   "go",  "h",   "h++", "hh",  "hpp",   "hs",    "hxx", "i",   "ii",  "inc", "inl",
    "ipp", "java", "jl",  "js",  "kt",  "l",   "lua",   "m",     "ml",  "mm",  "nim", "pas", "php",
    "pl",  "py",   "pyx", "rb",  "rs",  "s",   "scala", "swift", "tcc", "ts"};

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void refuse_source(const std::string& path, const std::string& why) {
  throw Error("there is no source text for " + quoted(path) + ": " + why, ErrorKind::kData);
}

bool is_source_name(std::string_view path) {
  // The headers of the C++ library have no ending.
  if (path.starts_with("/usr/include/")) return true;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  return std::find(kEndings.begin(), kEndings.end(), name.substr(dot + 1)) != kEndings.end();
}

std::string place_of(const File& file) {
  return "/proc/self/fd/" + std::to_string(file.fd());
}

// Where all links have led.
std::string true_path(const File& file) {
  std::array<char, PATH_MAX> path;
  const ssize_t size = ::readlink(place_of(file).c_str(), path.data(), path.size());
  return size > 0 ? std::string(path.data(), static_cast<size_t>(size)) : std::string();
}

std::string read_all(const std::string& path, int fd, size_t size) {
  std::string text(size, '\0');
  size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(fd, text.data() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse_source(path, std::strerror(errno));
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  text.resize(done);
  return text;
}

}  // namespace

Source read_source(const std::string& path) {
  if (!path.starts_with('/'))
    refuse_source(path, "the debug information does not say in which folder it is");
  if (!is_source_name(path)) refuse_source(path, "its name is not that of a source file");
  // A place alone: nothing of a device or a pipe is touched by that.
  const File place(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (place.fd() < 0) refuse_source(path, std::strerror(errno));
  if (!is_source_name(true_path(place))) refuse_source(path, "it leads to what is no source file");
  struct stat facts {};
  if (::fstat(place.fd(), &facts) != 0) refuse_source(path, std::strerror(errno));
  if (!S_ISREG(facts.st_mode)) refuse_source(path, "it is no regular file");
  const auto size = static_cast<uint64_t>(facts.st_size);
  if (size > kMostSourceBytes) refuse_source(path, "it is larger than 8 MiB");
  const File file(::open(place_of(place).c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (file.fd() < 0) refuse_source(path, std::strerror(errno));
  Source source;
  source.text = read_all(path, file.fd(), size);
  source.changed_ns = static_cast<uint64_t>(facts.st_mtim.tv_sec) * 1'000'000'000 +
                      static_cast<uint64_t>(facts.st_mtim.tv_nsec);
  return source;
}

}  // namespace heapledger::server
