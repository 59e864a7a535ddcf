#include "plots/film_blocks.h"

#include <algorithm>

namespace heapledger {
namespace {

std::string owner_name(Ledgers& ledgers, uint32_t site) {
  std::string name = ledgers.first_interesting_frame(site).name;
  return name.empty() ? "[no stack]" : name;
}

}  // namespace

FilmBlocks::FilmBlocks(Ledgers& ledgers, const HeapMap& map) : map_(map), shares_(map.rows) {
  name_owners(ledgers);
  ledgers.block_events({}, [&](const BlockEvent& event) {
    auto frame_end = [&] {
      return (static_cast<double>(moments_.size()) + 1) * map_.column_ns - 1;
    };
    while (moments_.size() < map_.columns && static_cast<double>(event.time_ns) > frame_end()) {
      take_moment();
    }
    bool born = event.what == BlockEvent::What::kBorn;
    apply(event, owner_of(ledgers, event.site), born ? 1 : -1);
  });
  while (moments_.size() < map_.columns) take_moment();
}

// Those that have most over the whole time: one pass over the blocks.
void FilmBlocks::name_owners(Ledgers& ledgers) {
  std::map<uint32_t, double> by_site;
  ledgers.block_events({}, [&](const BlockEvent& event) {
    if (event.what == BlockEvent::What::kBorn) return;
    by_site[event.site] +=
        static_cast<double>(event.bytes) * static_cast<double>(event.time_ns - event.birth_ns);
  });
  std::map<std::string, double> by_name;
  for (const auto& [site, weight] : by_site) by_name[owner_name(ledgers, site)] += weight;
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, weight] : by_name) order.emplace_back(weight, name);
  std::sort(order.rbegin(), order.rend());
  for (size_t i = 0; i < std::min(order.size(), kOwners - 1); ++i) {
    owners_.push_back(order[i].second);
  }
}

uint8_t FilmBlocks::owner_of(Ledgers& ledgers, uint32_t site) {
  auto [place, is_new] = owner_of_site_.try_emplace(site, kOwners - 1);
  if (is_new) {
    auto found = std::find(owners_.begin(), owners_.end(), owner_name(ledgers, site));
    if (found != owners_.end()) place->second = static_cast<uint8_t>(found - owners_.begin());
  }
  return place->second;
}

void FilmBlocks::apply(const BlockEvent& event, uint8_t owner, int64_t sign) {
  live_[owner] += sign * static_cast<int64_t>(event.bytes);
  auto region = std::find_if(map_.regions.begin(), map_.regions.end(), [&](const HeapRegion& one) {
    return one.ledger == event.ledger && one.begin <= event.address && event.address < one.end;
  });
  if (region == map_.regions.end() || event.size == 0) return;
  uint64_t begin = event.address - region->begin;
  uint64_t end = std::min(begin + event.size, region->end - region->begin);
  size_t first = begin / map_.cell_bytes;
  size_t last = (end - 1) / map_.cell_bytes;
  for (size_t cell = first; cell <= last && cell < region->rows; ++cell) {
    uint64_t from = std::max<uint64_t>(begin, cell * map_.cell_bytes);
    uint64_t to = std::min<uint64_t>(end, (cell + 1) * map_.cell_bytes);
    shares_[region->first_row + cell][owner] += sign * static_cast<int64_t>(to - from);
  }
  if (event.size < map_.cell_bytes) return;
  std::pair<uint32_t, uint64_t> key{event.ledger, event.address};
  if (sign < 0) {
    large_.erase(key);
  } else {
    size_t cells = std::min(last + 1, region->rows) - std::min(first, region->rows);
    large_[key] = {region->first_row + first, cells, owner};
  }
}

void FilmBlocks::take_moment() {
  Moment moment;
  moment.cells.resize(map_.rows);
  for (size_t row = 0; row < map_.rows; ++row) {
    const Shares& shares = shares_[row];
    auto most = std::max_element(shares.begin(), shares.end());
    moment.cells[row].owner = static_cast<uint8_t>(most - shares.begin());
    uint64_t bytes = 0;
    for (int64_t share : shares) bytes += static_cast<uint64_t>(std::max<int64_t>(share, 0));
    uint64_t thirds = (bytes * 3 + map_.cell_bytes - 1) / map_.cell_bytes;
    moment.cells[row].thirds = static_cast<uint8_t>(std::min<uint64_t>(thirds, 3));
  }
  for (const auto& [key, block] : large_) moment.large.push_back(block);
  for (size_t i = 0; i < kOwners; ++i) {
    moment.live[i] = static_cast<uint64_t>(std::max<int64_t>(live_[i], 0));
    most_ = std::max(most_, moment.live[i]);
  }
  moments_.push_back(std::move(moment));
}

}  // namespace heapledger
