#include "analyzer/pools.h"

#include <algorithm>

namespace heapledger {
namespace {

constexpr size_t kMaxPools = 1024;
constexpr size_t kMaxSites = 65536;  // of one pool
constexpr size_t kMaxName = 256;

}  // namespace

void Pools::Pool::born(LiveBlock& block) {
  ++facts.calls;
  facts.bytes += block.size;
  ++facts.end_blocks;
  facts.end_bytes += block.size;
  if (facts.end_bytes > facts.peak_bytes) {
    facts.peak_bytes = facts.end_bytes;
    facts.peak_blocks = facts.end_blocks;
  }
  auto found = bytes_of_site.find(block.account);
  if (found != bytes_of_site.end()) {
    found->second += block.size;
  } else if (bytes_of_site.size() < kMaxSites) {
    bytes_of_site.emplace(block.account, block.size);
  }
}

void Pools::Pool::died(const LiveBlock& block, const Death& death) {
  if (!death.by_resize) ++facts.frees;
  leave(block);
}

void Pools::Pool::leave(const LiveBlock& block) {
  --facts.end_blocks;
  facts.end_bytes -= block.size;
}

Pools::Pool* Pools::pool(uint64_t id) {
  auto found = places_.find(id);
  if (found != places_.end()) return pools_[found->second].get();
  if (pools_.size() >= kMaxPools || places_.size() >= kMaxPools) return nullptr;
  places_.emplace(id, pools_.size());
  return pools_.emplace_back(std::make_unique<Pool>(slack_)).get();
}

void Pools::name(uint64_t id, std::string_view name) {
  name = name.substr(0, kMaxName);
  auto same = std::find_if(pools_.begin(), pools_.end(),
                           [name](const auto& pool) { return pool->facts.name == name; });
  bool known = places_.count(id) > 0;
  if (same != pools_.end() && !known && places_.size() < kMaxPools) {
    places_.emplace(id, static_cast<size_t>(same - pools_.begin()));
  } else if (Pool* named = pool(id); named != nullptr && named->facts.name.empty()) {
    named->facts.name = name;
  }
}

void Pools::note(const format::Entry& entry, uint32_t thread) {
  using format::Kind;
  format::FieldReader fields(entry.fields);
  uint64_t id;
  if (!fields.number(id)) return;
  if (entry.kind == Kind::kPool) return name(id, fields.rest());
  Pool* into = pool(id);
  uint64_t pointer, size, site;
  if (into == nullptr || !fields.number(pointer)) return;
  bool resize = entry.kind == Kind::kPoolResize;
  if (resize || entry.kind == Kind::kPoolFree) {
    if (pointer != 0) into->pairing.death(pointer, {entry.time, thread, false, resize});
    if (!resize || !fields.number(pointer)) return;
    ++into->facts.resizes;
  }
  if (!fields.number(size) || !fields.number(site) || site > UINT32_MAX || pointer == 0) return;
  into->pairing.birth({pointer, size, entry.time, static_cast<uint32_t>(site), thread});
}

std::vector<PoolFacts> Pools::tell(const LedgerSites& sites) {
  std::vector<PoolFacts> all;
  for (size_t i = 0; i < pools_.size(); ++i) {
    Pool& pool = *pools_[i];
    pool.pairing.finish();
    auto top = std::max_element(
        pool.bytes_of_site.begin(), pool.bytes_of_site.end(), [](const auto& a, const auto& b) {
          return a.second != b.second ? a.second < b.second : a.first > b.first;
        });
    if (top != pool.bytes_of_site.end()) {
      uint32_t node = sites.node_of(top->first);
      pool.facts.top_site = node == IdTable::kNone ? SiteCatalog::kRoot : node;
      pool.facts.top_site_bytes = top->second;
    }
    if (pool.facts.name.empty()) pool.facts.name = "pool " + std::to_string(i + 1);
    all.push_back(pool.facts);
  }
  std::stable_sort(all.begin(), all.end(), [](const PoolFacts& a, const PoolFacts& b) {
    return a.peak_bytes > b.peak_bytes;
  });
  return all;
}

}  // namespace heapledger
