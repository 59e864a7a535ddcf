#include "analyzer/index/cube.h"

#include <algorithm>
#include <numeric>

namespace heapledger {

namespace {

bool fit(uint32_t a, uint32_t b) {
  return uint64_t{a} + b <= UINT32_MAX;
}

void add_stay(const Stay& stay, Paged<Cell>& cells) {
  Cell& cell = cells[stay.account];
  cell.live_blocks += stay.blocks;
  cell.live_bytes += stay.bytes;
}

// Of rows by bucket.
template <typename Row, typename Use>
void for_each_between(const std::vector<Row>& rows, uint32_t first, uint32_t last, const Use& use) {
  auto row = std::partition_point(rows.begin(), rows.end(),
                                  [first](const Row& r) { return r.bucket < first; });
  for (; row != rows.end() && row->bucket <= last; ++row) use(*row);
}

}  // namespace

bool Stay::join(const Stay& other) {
  blocks += other.blocks;
  bytes += other.bytes;
  return true;
}

bool Change::join(const Change& other) {
  if (!fit(calls, other.calls) || !fit(frees, other.frees) ||
      !fit(ended_blocks, other.ended_blocks) || !fit(temporary_calls, other.temporary_calls)) {
    return false;
  }
  calls += other.calls;
  frees += other.frees;
  ended_blocks += other.ended_blocks;
  temporary_calls += other.temporary_calls;
  bytes += other.bytes;
  ended_bytes += other.ended_bytes;
  smallest = std::min(smallest, other.smallest);
  largest = std::max(largest, other.largest);
  return true;
}

bool RareChange::join(const RareChange& other) {
  add(other);
  return true;
}

void Cube::add_live(uint32_t edge, Paged<Cell>& cells) const {
  for_each_live(0, edge, [&cells](const Stay& stay) { add_stay(stay, cells); });
  for (const LifeSpread& row : spreads) {
    if (row.birth > edge) break;
    if (row.last() > edge) cells[row.account].live_variance += row.bytes_variance;
  }
}

bool Cube::has_changes(std::optional<uint32_t> from, std::optional<uint32_t> to) const {
  auto has = [this](uint32_t edge) { return change_edges.at(edges.time_of(edge)).has_value(); };
  return change_edges.count > 0 && (!from || has(*from)) && (!to || has(*to));
}

void Cube::add_range(std::optional<uint32_t> from, std::optional<uint32_t> to,
                     Paged<Cell>& cells) const {
  const uint32_t first = from ? *from + 1 : 0;
  const uint32_t last = to ? *to : UINT32_MAX;
  if (to) {
    for_each_live(first, last, [&cells](const Stay& stay) { add_stay(stay, cells); });
  } else {
    const size_t born = stays.find_end(0, [first](const Stay& s) { return s.birth < first; });
    stays.for_each(born, stays.size(), [&cells](const Stay& stay) {
      if (stay.is_left()) add_stay(stay, cells);
    });
  }
  // The first and the last bucket of what changes.
  auto bucket_at = [this](uint32_t edge) { return *change_edges.at(edges.time_of(edge)); };
  const uint32_t first_change = from ? bucket_at(*from) + 1 : 0;
  const uint32_t last_change = to ? bucket_at(*to) : UINT32_MAX;
  for_each_between(changes, first_change, last_change, [&cells](const Change& change) {
    Cell& cell = cells[change.account];
    cell.calls += change.calls;
    cell.bytes += change.bytes;
    cell.frees += change.frees;
    cell.ended_blocks += change.ended_blocks;
    cell.ended_bytes += change.ended_bytes;
    cell.temporary_calls += change.temporary_calls;
    cell.smallest = std::min(cell.smallest, change.smallest);
    cell.largest = std::max(cell.largest, change.largest);
  });
  for_each_between(rare_changes, first_change, last_change, [&cells](const RareChange& change) {
    cells[change.account].RareSums::add(change);
  });
  const LifeWindow window{first, last, to};
  for (const LifeSpread& row : spreads) add_spread(window, row, cells[row.account]);
}

Timeline Cube::timeline(const std::vector<char>& selected) const {
  auto counts = [&selected](uint32_t account) {
    return selected.empty() || (account < selected.size() && selected[account] != 0);
  };
  Timeline line;
  line.edges = edges;
  line.from_index = true;
  for (auto* column : {&line.live_bytes, &line.live_blocks}) column->assign(edges.count, 0);
  // At first how much is more at an edge than at the one before: less wraps around, and comes out
  // right in the sum.
  stays.for_each([&](const Stay& stay) {
    if (!counts(stay.account)) return;
    line.live_bytes[stay.birth] += stay.bytes;
    line.live_blocks[stay.birth] += stay.blocks;
    if (stay.is_left() && stay.last() + 1u == edges.count) return;
    line.live_bytes[stay.last()] -= stay.bytes;
    line.live_blocks[stay.last()] -= stay.blocks;
  });
  std::partial_sum(line.live_bytes.begin(), line.live_bytes.end(), line.live_bytes.begin());
  std::partial_sum(line.live_blocks.begin(), line.live_blocks.end(), line.live_blocks.begin());
  if (!has_all_changes()) return line;
  for (auto* column : {&line.calls, &line.bytes, &line.ended_blocks, &line.ended_bytes}) {
    column->assign(edges.count, 0);
  }
  for (const Change& change : changes) {
    if (!counts(change.account)) continue;
    const uint32_t bucket = bucket_of(change);
    line.calls[bucket] += change.calls;
    line.bytes[bucket] += change.bytes;
    line.ended_blocks[bucket] += change.ended_blocks;
    line.ended_bytes[bucket] += change.ended_bytes;
  }
  return line;
}

}  // namespace heapledger
