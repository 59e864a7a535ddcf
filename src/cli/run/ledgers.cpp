#include "cli/run/ledgers.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>

#include "format/layout.h"

namespace heapledger::cli::run {
namespace {

constexpr std::string_view kLedgerEnding = ".ledger";
constexpr char kAny = '*';  // in a shape: any characters, possibly none

// A name pattern with its variable parts made one kind. A literal star is one of them as well:
// too wide does no harm here.
std::string shape_of(std::string_view pattern) {
  std::string shape;
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '%') {
      shape += pattern[at];
    } else if (++at < pattern.size()) {
      shape += pattern[at] == '%' ? '%' : kAny;
    }
  }
  // The runtime inserts .2, .3, … before the ending, or appends it.
  const bool ends = shape.ends_with(kLedgerEnding);
  shape.insert(ends ? shape.size() - kLedgerEnding.size() : shape.size(), 1, kAny);
  return shape;
}

bool matches(std::string_view shape, std::string_view name) {
  size_t at = 0;
  size_t in_name = 0;
  size_t star = std::string_view::npos;
  size_t resume = 0;
  while (in_name < name.size()) {
    if (at < shape.size() && shape[at] == kAny) {
      star = at++;
      resume = in_name;
    } else if (at < shape.size() && shape[at] == name[in_name]) {
      ++at;
      ++in_name;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      in_name = ++resume;
    } else {
      return false;
    }
  }
  return shape.find_first_not_of(kAny, at) == std::string_view::npos;
}

std::optional<format::FileHeader> header_of(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  if (fd < 0) return std::nullopt;
  format::FileHeader header;
  const ssize_t got = ::pread(fd, &header, sizeof header, 0);
  ::close(fd);
  if (got != sizeof header ||
      std::memcmp(header.magic, format::kFileMagic, sizeof header.magic) != 0) {
    return std::nullopt;
  }
  return header;
}

}  // namespace

std::vector<RunLedger> find_ledgers(const OutputPattern& output, uint64_t run_id) {
  std::vector<RunLedger> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(output.folder().c_str()), ::closedir);
  if (!folder) return found;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_type != DT_REG && entry->d_type != DT_UNKNOWN) continue;
    if (!name_fits(output.name(), entry->d_name)) continue;
    std::string path = output.shown_folder() + entry->d_name;
    const auto header = header_of(path);
    if (header && header->run_id == run_id) found.push_back({std::move(path), header->pid});
  }
  std::sort(found.begin(), found.end(),
            [](const RunLedger& a, const RunLedger& b) { return a.path < b.path; });
  return found;
}

bool still_recording(const RunLedger& ledger) {
  // A process that records has its ledger mapped, which tells it from a later one with its number.
  std::ifstream maps("/proc/" + std::to_string(ledger.pid) + "/maps");
  if (!maps) return ::kill(static_cast<pid_t>(ledger.pid), 0) != 0 && errno == EPERM;
  const std::string ending = std::string("/").append(ledger.path, ledger.path.rfind('/') + 1);
  for (std::string line; std::getline(maps, line);) {
    if (line.ends_with(ending) && line.find(" rw-s ") != std::string::npos) return true;
  }
  return false;
}

bool name_fits(std::string_view pattern, std::string_view name) {
  return matches(shape_of(pattern), name);
}

}  // namespace heapledger::cli::run
