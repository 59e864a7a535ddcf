#include "symbols/kept_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "format/checksum.h"

namespace heapledger {
namespace {

namespace fs = std::filesystem;

// An entry: this, a checksum of all that follows, the length of the sign, that, and the content.
constexpr std::string_view kMagic = "HLKEPT01";
constexpr size_t kChecksumAt = kMagic.size();
constexpr size_t kLengthAt = kChecksumAt + sizeof(uint64_t);
constexpr size_t kSignAt = kLengthAt + sizeof(uint32_t);

constexpr std::time_t kDay = 24 * 60 * 60;

template <typename T>
T number_at(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <typename T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

bool is_good(std::string_view entry, std::string_view sign) {
  if (entry.size() < kSignAt + sign.size() || !entry.starts_with(kMagic)) return false;
  const std::string_view checked = entry.substr(kLengthAt);
  return number_at<uint32_t>(entry, kLengthAt) == sign.size() &&
         entry.substr(kSignAt, sign.size()) == sign &&
         number_at<uint64_t>(entry, kChecksumAt) ==
             format::checksum(checked.data(), checked.size());
}

// So that it is not the first to go.
void note_use(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0 || status.st_mtim.tv_sec > ::time(nullptr) - kDay) return;
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
}

// Nobody's files are to end up in somebody else's folder, which sudo may leave as ours.
bool is_own(const fs::path& folder) {
  struct stat status;
  return ::stat(folder.c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

// With `missing` folders above it at the most, for the user alone.
bool make_folder(const fs::path& folder, unsigned missing = 2) {
  if (is_own(folder)) return true;
  const fs::path above = folder.parent_path();
  if (!is_own(above) && (missing == 0 || !make_folder(above, missing - 1))) return false;
  return ::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST;
}

bool write_in_one_step(const std::string& path, std::string_view bytes) {
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return false;
  bool good = true;
  while (good && !bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    good = written > 0;
    if (good) bytes.remove_prefix(static_cast<size_t>(written));
  }
  good = ::close(fd) == 0 && good && ::rename(temporary.c_str(), path.c_str()) == 0;
  if (!good) ::unlink(temporary.c_str());
  return good;
}

}  // namespace

KeptFiles::KeptFiles(std::string folder, uint64_t most_bytes, uint64_t most_of_one)
    : folder_(std::move(folder)), most_bytes_(most_bytes), most_of_one_(most_of_one) {}

std::string KeptFiles::default_folder(std::string_view name) {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/heapledger/" += name;
  const char* const home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') {
    return std::string(home) + "/.cache/heapledger/" += name;
  }
  return {};
}

std::optional<std::string> KeptFiles::find(const std::string& name, std::string_view sign) const {
  if (!is_used()) return std::nullopt;
  const std::string path = folder_ + "/" + name;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return std::nullopt;
  const auto bytes = static_cast<uint64_t>(std::max<std::streamoff>(file.tellg(), 0));
  if (bytes > most_of_one_) return std::nullopt;
  std::string entry(bytes, '\0');
  file.seekg(0);
  if (!file.read(entry.data(), static_cast<std::streamsize>(bytes)) || !is_good(entry, sign)) {
    return std::nullopt;
  }
  note_use(path);
  return entry.substr(kSignAt + sign.size());
}

void KeptFiles::store(const std::string& name, std::string_view sign,
                      std::string_view content) const {
  if (!is_used()) return;
  std::string entry(kMagic);
  entry.append(sizeof(uint64_t), '\0');
  entry += bytes_of(static_cast<uint32_t>(sign.size()));
  entry += sign;
  entry += content;
  if (entry.size() > std::min(most_of_one_, most_bytes_ / 2) || !make_folder(folder_)) return;
  const uint64_t sum = format::checksum(entry.data() + kLengthAt, entry.size() - kLengthAt);
  std::memcpy(entry.data() + kChecksumAt, &sum, sizeof sum);
  if (write_in_one_step(folder_ + "/" + name, entry)) make_room();
}

// The longest unused go first, until a quarter is free. What somebody else is about to rename may
// go with them: nothing is lost by that but the entry.
void KeptFiles::make_room() const {
  struct Entry {
    fs::file_time_type used;
    uint64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  uint64_t sum = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    Entry entry{at->last_write_time(gone), 0, at->path()};
    if (!gone) entry.bytes = at->file_size(gone);
    if (gone) continue;
    sum += entry.bytes;
    entries.push_back(std::move(entry));
  }
  if (sum <= most_bytes_) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (sum <= most_bytes_ / 4 * 3) return;
    if (fs::remove(entry.path, error)) sum -= entry.bytes;
  }
}

std::string sign_of_files(std::span<const std::string> paths) {
  std::string sign;
  auto add = [&sign](const std::string& path) {
    struct stat status {};
    if (!path.empty() && ::stat(path.c_str(), &status) != 0) status = {};
    for (uint64_t part :
         {static_cast<uint64_t>(status.st_dev), static_cast<uint64_t>(status.st_ino),
          static_cast<uint64_t>(status.st_size), static_cast<uint64_t>(status.st_mtim.tv_sec),
          static_cast<uint64_t>(status.st_mtim.tv_nsec)}) {
      sign += std::to_string(part) + ' ';
    }
    sign += path + '\n';
  };
  add("/proc/self/exe");
  for (const std::string& path : paths) add(path);
  return sign;
}

std::string hexadecimal(std::string_view bytes) {
  std::string digits;
  for (char byte : bytes) {
    digits += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4];
    digits += "0123456789abcdef"[static_cast<unsigned char>(byte) & 15];
  }
  return digits;
}

}  // namespace heapledger
