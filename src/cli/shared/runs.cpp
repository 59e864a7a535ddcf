#include "cli/shared/runs.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>

#include "cli/shared/ledger_paths.h"
#include "format/sealed.h"
#include "text/text.h"

namespace heapledger::cli {
namespace {

template <typename Header>
bool begins_with(const Header& header, ssize_t got, const char (&magic)[8]) {
  return got >= static_cast<ssize_t>(sizeof header) &&
         std::memcmp(header.magic, magic, sizeof magic) == 0;
}

}  // namespace

std::optional<format::FileHeader> read_ledger_header(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return std::nullopt;
  format::SealedHeader sealed;
  const ssize_t got = ::pread(fd, &sealed, sizeof sealed, 0);
  ::close(fd);
  if (begins_with(sealed, got, format::kSealedMagic)) return sealed.ledger;
  format::FileHeader raw;
  std::memcpy(&raw, &sealed, sizeof raw);
  if (begins_with(raw, got, format::kFileMagic)) return raw;
  return std::nullopt;
}

Runs runs_of(const std::vector<std::string>& paths) {
  Runs runs;
  std::map<uint64_t, LedgerRun> by_id;
  for (const std::string& path : paths) {
    const auto header = read_ledger_header(path);
    if (!header) {
      runs.unreadable.push_back(path);
      continue;
    }
    LedgerRun& run = by_id[header->run_id];
    run.id = header->run_id;
    run.start_ns = std::min(run.start_ns, header->start.realtime_ns);
    run.paths.push_back(path);
  }
  for (auto& [id, run] : by_id) runs.known.push_back(std::move(run));
  std::stable_sort(runs.known.begin(), runs.known.end(),
                   [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  return runs;
}

std::string name_of(const LedgerRun& run) {
  const std::string& first = run.paths.front();
  std::string folder = std::filesystem::path(first).parent_path().string();
  const auto is_inside = [&](const std::string& path) { return path.starts_with(folder + "/"); };
  if (folder.ends_with(kRunFolderEnding) &&
      std::all_of(run.paths.begin(), run.paths.end(), is_inside)) {
    return folder;
  }
  if (run.paths.size() == 1) return first;
  return first + " and " + counted(run.paths.size() - 1, "more ledger");
}

}  // namespace heapledger::cli
