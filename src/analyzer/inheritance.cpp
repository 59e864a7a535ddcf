#include "analyzer/inheritance.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include "analyzer/error.h"
#include "analyzer/first_entries.h"
#include "analyzer/fork_scan.h"

namespace heapledger {
namespace {

// Processes that fork children that fork children …
constexpr int kMaxGenerations = 16;

// The process id alone does not decide within one run: a child whose parent has ended has another
// parent by the time its ledger begins.
bool is_parent(const format::FileHeader& parent, const format::FileHeader& child) {
  bool fits = parent.pid == child.parent_pid || child.run_id != 0;
  return fits && parent.run_id == child.run_id && parent.machine == child.machine &&
         parent.start.ticks < child.start.ticks;
}

// The parent's ledger: beside the child's, where it is after both were moved, or where it was.
std::unique_ptr<LedgerFile> open_parent(const std::string& child_path,
                                        const std::string& parent_path,
                                        const format::FileHeader& child, const Options& options) {
  namespace fs = std::filesystem;
  if (parent_path.empty() || !options.open_parent) return nullptr;
  fs::path beside = fs::path(child_path).parent_path() / fs::path(parent_path).filename();
  for (const std::string& path : {beside.string(), parent_path}) {
    try {
      auto file = std::make_unique<LedgerFile>(options.open_parent(path), options.check_sums);
      if (is_parent(file->header(), child)) return file;
    } catch (const Error&) {
      continue;
    }
  }
  return nullptr;
}

std::string parent_path_of(LedgerFile& file) {
  std::string path;
  for_first_entries(file, [&path](const format::Entry& entry) {
    format::FieldReader fields(entry.fields);
    uint64_t key;
    if (entry.kind == format::Kind::kInfo && fields.number(key) &&
        key == static_cast<uint64_t>(format::InfoKey::kParentLedger)) {
      path += fields.rest();
    }
  });
  return path;
}

// What a process had from its own parent when it began.
std::vector<LiveBlock> live_at_start(LedgerFile& file, const Options& options, Progress& progress,
                                     int generations) {
  std::vector<LiveBlock> blocks;
  if (file.header().origin != static_cast<uint32_t>(format::Origin::kForked) || generations == 0) {
    return blocks;
  }
  auto parent = open_parent(file.name(), parent_path_of(file), file.header(), options);
  if (parent == nullptr) return blocks;
  progress.expect(parent->work_bytes());
  ForkPoint fork = find_fork(*parent, file.header());
  ForkScan scan(*parent, live_at_start(*parent, options, progress, generations - 1), {fork},
                progress);
  scan.run_to(fork);
  blocks.reserve(scan.live().size());
  scan.live().for_each([&blocks](const LiveBlock& block) { blocks.push_back(block); });
  return blocks;
}

// An inherited block can die once; a second death at its address is of something unknown.
void tell_deaths_apart(Heir& heir, LiveBlocks& live) {
  std::vector<uint64_t>& deaths = heir.foreign_deaths;
  uint64_t all = deaths.size();
  std::sort(deaths.begin(), deaths.end());
  auto end = std::unique(deaths.begin(), deaths.end());
  heir.inherited_deaths = static_cast<uint64_t>(std::count_if(
      deaths.begin(), end, [&live](uint64_t address) { return live.find(address) != nullptr; }));
  heir.unknown_deaths = all - heir.inherited_deaths;
}

// All children of one process.
void settle_family(const std::vector<Heir*>& children, const Options& options, Progress& progress) {
  const Heir& first = *children.front();
  auto parent = open_parent(first.path, first.parent_path, first.header, options);
  if (parent == nullptr) return;
  progress.expect(parent->work_bytes());

  std::vector<std::pair<ForkPoint, Heir*>> forks;
  std::vector<ForkPoint> points;
  for (Heir* child : children) {
    if (!is_parent(parent->header(), child->header)) continue;
    forks.emplace_back(find_fork(*parent, child->header), child);
    points.push_back(forks.back().first);
  }
  std::sort(forks.begin(), forks.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());

  ForkScan scan(*parent, live_at_start(*parent, options, progress, kMaxGenerations), points,
                progress);
  auto next = forks.begin();
  for (const ForkPoint& point : points) {
    scan.run_to(point);
    for (; next != forks.end() && next->first == point; ++next) {
      Heir& child = *next->second;
      child.parent_found = true;
      child.inherited_blocks = scan.live_blocks();
      child.inherited_bytes = scan.live_bytes();
      tell_deaths_apart(child, scan.live());
    }
    scan.leave(point);
  }
}

}  // namespace

void settle_inheritance(std::vector<Heir>& heirs, const Options& options, Progress& progress) {
  using Family = std::tuple<std::string, std::string, uint32_t, uint64_t>;
  std::map<Family, std::vector<Heir*>> families;
  for (Heir& heir : heirs) {
    heir.inherited_deaths = heir.foreign_deaths.size();
    std::string folder = std::filesystem::path(heir.path).parent_path().string();
    families[{heir.parent_path, folder, heir.header.parent_pid, heir.header.run_id}].push_back(
        &heir);
  }
  for (auto& [family, children] : families) {
    std::sort(children.begin(), children.end(), [](const Heir* a, const Heir* b) {
      return a->header.start.ticks < b->header.start.ticks;
    });
    settle_family(children, options, progress);
  }
}

}  // namespace heapledger
