#include "analyzer/index/cohorts.h"

#include <algorithm>

namespace heapledger {
namespace {

// Of rows by bucket, those of a range.
template <typename Use>
void for_each_change(const Cube& cube, const BucketRange& range, const Use& use) {
  auto change =
      std::partition_point(cube.changes.begin(), cube.changes.end(),
                           [&](const Change& c) { return cube.bucket_of(c) < range.first; });
  for (; change != cube.changes.end() && cube.bucket_of(*change) <= range.last; ++change) {
    use(*change);
  }
}

}  // namespace

Cohorts cohorts_of(const Cube& cube, const std::vector<char>& selected, uint32_t most_cells) {
  Cohorts plane;
  plane.edges = cube.edges;
  unsigned shift = 0;
  while (((cube.edges.count - 1) >> shift) + 1 > std::max(most_cells, 1u)) ++shift;
  plane.buckets_per_cell = 1u << shift;
  plane.count = ((cube.edges.count - 1) >> shift) + 1;

  auto counts = [&selected](uint32_t account) {
    return selected.empty() || (account < selected.size() && selected[account] != 0);
  };
  struct Sum {
    uint64_t blocks = 0;
    uint64_t bytes = 0;
  };
  // The last column is of those that were left. What is taken away from a cell before it has got
  // everything wraps around, and comes out right in the end.
  const size_t width = plane.count + size_t{1};
  std::vector<Sum> sums(plane.count * width);
  for (const Change& change : cube.changes) {
    if (!counts(change.account)) continue;
    const size_t birth = cube.bucket_of(change) >> shift;
    Sum& same = sums[birth * width + birth];
    same.blocks += change.calls;
    same.bytes += change.bytes;
  }
  cube.stays.for_each([&](const Stay& stay) {
    if (!counts(stay.account)) return;
    const size_t birth = stay.birth >> shift;
    Sum& same = sums[birth * width + birth];
    same.blocks -= stay.blocks;
    same.bytes -= stay.bytes;
    Sum& to = sums[birth * width + (stay.is_left() ? plane.count : size_t{stay.last()} >> shift)];
    to.blocks += stay.blocks;
    to.bytes += stay.bytes;
  });
  for (uint32_t birth = 0; birth < plane.count; ++birth) {
    for (uint32_t death = 0; death < width; ++death) {
      const Sum& sum = sums[birth * width + death];
      if (sum.blocks != 0) plane.cells.push_back({birth, death, sum.blocks, sum.bytes});
    }
  }
  return plane;
}

void add_cohort(const Cube& cube, const Cohort& cohort, Paged<Cell>& cells) {
  // Born and ended in one bucket: those are in both ranges.
  BucketRange same{1, 0};
  if (cohort.died) {
    same.first = std::max(cohort.born.first, cohort.died->first);
    same.last = std::min(cohort.born.last, cohort.died->last);
  }
  for_each_change(cube, same, [&cells](const Change& change) {
    Cell& cell = cells[change.account];
    cell.calls += change.calls;
    cell.bytes += change.bytes;
    cell.ended_blocks += change.calls;
    cell.ended_bytes += change.bytes;
  });
  const size_t born =
      cube.stays.find_end(0, [&](const Stay& s) { return s.birth < cohort.born.first; });
  const size_t end =
      cube.stays.find_end(born, [&](const Stay& s) { return s.birth <= cohort.born.last; });
  cube.stays.for_each(born, end, [&](const Stay& stay) {
    Cell& cell = cells[stay.account];
    if (same.has(stay.birth)) {  // it did not end there
      cell.calls -= stay.blocks;
      cell.bytes -= stay.bytes;
      cell.ended_blocks -= stay.blocks;
      cell.ended_bytes -= stay.bytes;
    }
    const bool is_in = stay.is_left() ? cohort.left : cohort.died && cohort.died->has(stay.last());
    if (!is_in) return;
    cell.calls += stay.blocks;
    cell.bytes += stay.bytes;
    (stay.is_left() ? cell.live_blocks : cell.ended_blocks) += stay.blocks;
    (stay.is_left() ? cell.live_bytes : cell.ended_bytes) += stay.bytes;
  });
}

}  // namespace heapledger
