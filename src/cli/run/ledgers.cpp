#include "cli/run/ledgers.h"

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <memory>

#include "cli/shared/ledger_paths.h"
#include "cli/shared/runs.h"

namespace heapledger::cli::run {
namespace {

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

}  // namespace

std::vector<RunLedger> find_ledgers(const OutputPattern& output, uint64_t run_id) {
  std::vector<RunLedger> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(output.folder().c_str()), ::closedir);
  if (!folder) return found;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_type != DT_REG && entry->d_type != DT_UNKNOWN) continue;
    if (!name_fits(output.name(), entry->d_name)) continue;
    std::string path = output.shown_folder() + entry->d_name;
    const auto header = read_ledger_header(path);
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
  const std::string text{std::istreambuf_iterator<char>(maps), {}};
  return maps_ledger(text, ledger.path);
}

bool maps_ledger(std::string_view maps, const std::string& path) {
  const std::string ending = std::string("/").append(path, path.rfind('/') + 1);
  while (!maps.empty()) {
    const size_t end = std::min(maps.find('\n'), maps.size());
    const std::string_view line = maps.substr(0, end);
    if (line.ends_with(ending) && line.find(" rw-s ") != std::string_view::npos) return true;
    maps.remove_prefix(std::min(end + 1, maps.size()));
  }
  return false;
}

bool name_fits(std::string_view pattern, std::string_view name) {
  return matches(shape_of(pattern), name);
}

}  // namespace heapledger::cli::run
