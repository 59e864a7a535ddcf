#include "importers/massif_reader.h"

#include <algorithm>
#include <array>
#include <string>

#include "analyzer/error.h"
#include "importers/named_sites.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr const char* kBetween = "[between detailed snapshots]";
constexpr uint64_t kMostChanges = 500'000'000;

}  // namespace

Imported MassifReader::read(uint64_t ended_ns, const ImportProgress& progress) {
  NamedSites sites(ledger_);
  MassifFile file(lines_, sites);
  const std::vector<MassifSnapshot> snapshots = file.read();
  unknown_site_ = sites.site(std::array{sites.frame(kBetween)});
  imported_.what = "massif";
  write_command(ledger_, file.command(), imported_.what);
  write(snapshots, progress);
  auto detailed = std::count_if(snapshots.begin(), snapshots.end(),
                                [](const MassifSnapshot& one) { return one.has_stacks; });
  imported_.amount = counted(snapshots.size(), "snapshot") + ", " +
                     with_commas(static_cast<uint64_t>(detailed)) + " with stacks";
  imported_.notes.push_back(
      "massif has snapshots, not calls: calls, blocks, sizes and lifetimes in this ledger mean"
      " nothing, and what is never freed is what the last snapshot has");
  ledger_.finish(4096, ended_ns);
  return std::move(imported_);
}

void MassifReader::write(const std::vector<MassifSnapshot>& snapshots,
                         const ImportProgress& progress) {
  const MassifSnapshot nothing;
  const MassifSnapshot* before = &nothing;
  size_t next = 0;  // with stacks
  for (size_t i = 0; i < snapshots.size(); ++i) {
    if (progress) progress(i, snapshots.size());
    const MassifSnapshot& snapshot = snapshots[i];
    if (snapshot.has_stacks) {
      before = &snapshot;
      change_to(snapshot.stacks, snapshot.time_ns);
      continue;
    }
    next = std::max(next, i);
    while (next < snapshots.size() && !snapshots[next].has_stacks) ++next;
    const MassifSnapshot& after = next < snapshots.size() ? snapshots[next] : *before;
    change_to(between(snapshot.bytes, *before, after), snapshot.time_ns);
  }
  ledger_.at(snapshots.back().time_ns - std::min<uint64_t>(snapshots.back().time_ns, 1));
}

// One with as many bytes as the next or the last with stacks is taken to be the same: before the
// peak there often is such a one. Else, what both of these have is taken to be there, less the
// largest parts where that is too much; the rest is of no known stack.
MassifReader::Stacks MassifReader::between(uint64_t bytes, const MassifSnapshot& before,
                                           const MassifSnapshot& after) const {
  if (bytes == after.bytes) return after.stacks;
  if (bytes == before.bytes) return before.stacks;
  Stacks both;
  auto other = after.stacks.begin();
  uint64_t known = 0;
  for (const auto& [site, size] : before.stacks) {
    while (other != after.stacks.end() && other->first < site) ++other;
    if (other == after.stacks.end() || other->first != site) continue;
    both.emplace_back(site, std::min(size, other->second));
    known += both.back().second;
  }
  std::sort(both.begin(), both.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  });
  while (known > bytes) {
    known -= both.back().second;
    both.pop_back();
  }
  if (known < bytes) both.emplace_back(unknown_site_, bytes - known);
  std::sort(both.begin(), both.end());
  return both;
}

// Ends come before births, so that there are never more bytes than one of the snapshots has. The
// last change comes at the very time.
void MassifReader::change_to(const Stacks& stacks, uint64_t time_ns) {
  std::map<uint32_t, uint64_t> births(stacks.begin(), stacks.end());
  std::vector<uint32_t> ends;
  for (const auto& [site, block] : live_) {
    auto place = births.find(site);
    if (place != births.end() && place->second == block.size) {
      births.erase(place);
    } else {
      ends.push_back(site);
    }
  }
  if (ends.empty() && births.empty()) return;
  imported_.calls += births.size();
  imported_.frees += ends.size();
  if (imported_.calls > kMostChanges) {
    throw Error(lines_.name() + ": has more stacks than can be imported", ErrorKind::kData);
  }
  ledger_.at(time_ns - std::min<uint64_t>(time_ns, ends.size() + births.size() + 1));
  ledger_.free(0);  // something else, so that no block is temporary
  for (uint32_t site : ends) {
    const Block& block = live_[site];
    ledger_.free(block.address);
    addresses_.give_back(block.address, block.size);
    live_.erase(site);
  }
  for (const auto& [site, size] : births) {
    uint64_t address = addresses_.take(size);
    if (address == 0) throw Error(lines_.name() + ": has too much memory", ErrorKind::kData);
    ledger_.malloc(address, size, site);
    live_[site] = {address, size};
  }
}

}  // namespace heapledger
