#include "analyzer/query/heap_map.h"

#include <algorithm>
#include <cmath>

#include "analyzer/query/used_addresses.h"

namespace heapledger {
namespace {

struct ChosenRegion {
  uint32_t ledger;
  UsedRange range;
};

// The regions that hold the most, in the order of processes and addresses.
std::vector<ChosenRegion> choose_regions(const std::vector<UsedAddresses>& used, size_t most) {
  std::vector<ChosenRegion> all;
  for (uint32_t ledger = 0; ledger < used.size(); ++ledger) {
    for (const UsedRange& range : cut_at_wide_gaps(used[ledger].ranges(), most)) {
      all.push_back({ledger, range});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const ChosenRegion& a, const ChosenRegion& b) {
    return a.range.bytes > b.range.bytes;
  });
  if (all.size() > most) all.resize(most);
  std::stable_sort(all.begin(), all.end(), [](const ChosenRegion& a, const ChosenRegion& b) {
    return a.ledger != b.ledger ? a.ledger < b.ledger : a.range.begin < b.range.begin;
  });
  return all;
}

uint64_t rows_of(const UsedRange& range, uint64_t cell) {
  return (range.end - 1) / cell - range.begin / cell + 1;
}

// The smallest cells with which all regions fit into the rows.
uint64_t choose_cell(const std::vector<ChosenRegion>& chosen, size_t rows) {
  constexpr uint64_t kSmallest = 64;
  constexpr uint64_t kLargest = uint64_t{1} << 62;
  uint64_t cell = kSmallest;
  auto fits = [&] {
    uint64_t sum = 0;
    for (const ChosenRegion& candidate : chosen) {
      uint64_t needed = rows_of(candidate.range, cell);
      if (needed > rows) return false;
      sum += needed;
    }
    return sum <= rows;
  };
  while (cell < kLargest && !fits()) cell *= 2;
  return cell;
}

// A number of bytes that comes and goes, added up over the columns. Time only goes forward.
class Level {
 public:
  // Everything up to `now` goes into the columns, which are `stride` apart.
  void add_up(double now, double width, size_t columns, double* to, size_t stride) {
    while (since_ < now) {
      size_t column = column_of(since_, width, columns);
      double end = column + 1 == columns ? now : std::min(now, edge(column, width));
      if (bytes_ > 0) to[column * stride] += static_cast<double>(bytes_) * (end - since_);
      since_ = end;
    }
  }
  void change(int64_t bytes) { bytes_ += bytes; }

 private:
  static double edge(size_t column, double width) {
    return static_cast<double>(column + 1) * width;
  }

  // However the division is rounded, the time is before the end of its column.
  static size_t column_of(double time, double width, size_t columns) {
    auto column = static_cast<size_t>(time / width);
    if (edge(column, width) <= time) ++column;
    return std::min(column, columns - 1);
  }

  int64_t bytes_ = 0;
  double since_ = 0;
};

class MapFiller {
 public:
  MapFiller(HeapMap& map, double duration_ns)
      : map_(map),
        begin_ns_(static_cast<double>(map.begin_ns)),
        duration_ns_(duration_ns),
        levels_(map.rows),
        sizes_(HeapMap::kSizeClasses) {}

  void add(const BlockEvent& event) {
    // What was there before the first column is there from its beginning on.
    const auto now = std::clamp(static_cast<double>(event.time_ns) - begin_ns_, 0.0, duration_ns_);
    bool born = event.what == BlockEvent::What::kBorn;
    int64_t sign = born ? 1 : -1;
    const size_t size_class = class_of_size(event.size);
    Level& of_size = sizes_[size_class];
    of_size.add_up(now, map_.column_ns, map_.columns, &map_.sizes[0][size_class],
                   HeapMap::kSizeClasses);
    of_size.change(sign * static_cast<int64_t>(event.bytes));
    if (event.size > 0) put(event, now, sign);
  }

  void finish() {
    for (size_t row = 0; row < map_.rows; ++row) add_up_row(row, duration_ns_);
    elsewhere_.add_up(duration_ns_, map_.column_ns, map_.columns, map_.elsewhere.data(), 1);
    for (size_t i = 0; i < sizes_.size(); ++i) {
      sizes_[i].add_up(duration_ns_, map_.column_ns, map_.columns, &map_.sizes[0][i],
                       HeapMap::kSizeClasses);
    }
    // From bytes times nanoseconds to bytes.
    for (double& cell : map_.cells) cell /= map_.column_ns;
    for (double& rest : map_.elsewhere) rest /= map_.column_ns;
    for (auto& column : map_.sizes) {
      for (double& sum : column) sum /= map_.column_ns;
    }
  }

 private:
  void add_up_row(size_t row, double now) {
    levels_[row].add_up(now, map_.column_ns, map_.columns, &map_.cells[row * map_.columns], 1);
  }

  // The block's bytes, to the rows that it lies in.
  void put(const BlockEvent& event, double now, int64_t sign) {
    const HeapRegion* region = region_of(event);
    if (region == nullptr) {
      elsewhere_.add_up(now, map_.column_ns, map_.columns, map_.elsewhere.data(), 1);
      elsewhere_.change(sign * static_cast<int64_t>(event.bytes));
      return;
    }
    uint64_t from = event.address - region->begin;
    uint64_t end = from + event.size;
    uint64_t given = 0;
    for (uint64_t row = from / map_.cell_bytes; given < event.bytes; ++row) {
      uint64_t upto = std::min(end, (row + 1) * map_.cell_bytes) - from;
      uint64_t share = share_of(event, upto) - given;
      given += share;
      size_t at = region->first_row + std::min<size_t>(row, region->rows - 1);
      add_up_row(at, now);
      levels_[at].change(sign * static_cast<int64_t>(share));
      if (upto == event.size) break;
    }
  }

  // Of the bytes the block stands for, those in its first `upto` bytes: the same at birth and
  // death.
  static uint64_t share_of(const BlockEvent& event, uint64_t upto) {
    if (upto == event.size) return event.bytes;
    if (event.bytes == event.size) return upto;
    return static_cast<uint64_t>(static_cast<double>(event.bytes) * static_cast<double>(upto) /
                                 static_cast<double>(event.size));
  }

  const HeapRegion* region_of(const BlockEvent& event) const {
    auto after = std::upper_bound(map_.regions.begin(), map_.regions.end(), event,
                                  [](const BlockEvent& e, const HeapRegion& region) {
                                    return e.ledger != region.ledger ? e.ledger < region.ledger
                                                                     : e.address < region.begin;
                                  });
    if (after == map_.regions.begin()) return nullptr;
    const HeapRegion& region = *std::prev(after);
    bool inside = region.ledger == event.ledger && event.address < region.end;
    return inside ? &region : nullptr;
  }

  HeapMap& map_;
  double begin_ns_;
  double duration_ns_;
  std::vector<Level> levels_;  // by row
  std::vector<Level> sizes_;   // by class
  Level elsewhere_;
};

void lay_out(HeapMap& map, const std::vector<ChosenRegion>& chosen, size_t rows) {
  map.cell_bytes = choose_cell(chosen, rows);
  for (const ChosenRegion& candidate : chosen) {
    HeapRegion region;
    region.ledger = candidate.ledger;
    region.begin = candidate.range.begin / map.cell_bytes * map.cell_bytes;
    region.rows = rows_of(candidate.range, map.cell_bytes);
    region.first_row = map.rows;
    uint64_t length = region.rows * map.cell_bytes;
    region.end = region.begin > UINT64_MAX - length ? UINT64_MAX : region.begin + length;
    map.rows += region.rows;
    map.regions.push_back(region);
  }
}

struct Stretch {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
};

// What is asked about, of the whole run without a range.
Stretch stretch_of(Ledgers& ledgers, const Question& question) {
  if (!question.between) return {0, ledgers.duration_ns()};
  const Stretch stretch{ledgers.time_of(question.between->first),
                        ledgers.time_of(question.between->second)};
  if (stretch.begin_ns > stretch.end_ns) {
    throw Error("the range ends before it begins", ErrorKind::kQuestion);
  }
  return stretch;
}

// Blocks that there were in a range may have been born before it.
Question without_range(const Question& question) {
  Question all = question;
  all.between.reset();
  return all;
}

}  // namespace

void note_used(const BlockEvent& event, std::vector<UsedAddresses>& used) {
  if (event.what != BlockEvent::What::kBorn) return;
  if (event.ledger >= used.size()) used.resize(event.ledger + size_t{1});
  used[event.ledger].add(event.address, event.size, event.bytes);
}

HeapMap heap_map(Ledgers& ledgers, const Question& question, const HeapMapShape& shape) {
  const Stretch stretch = stretch_of(ledgers, question);
  std::vector<UsedAddresses> used(ledgers.facts().size());
  ledgers.block_events(without_range(question), [&](const BlockEvent& event) {
    const bool in_time = event.birth_ns <= stretch.end_ns && event.time_ns >= stretch.begin_ns;
    if (event.what == BlockEvent::What::kBorn || !in_time) return;
    used[event.ledger].add(event.address, event.size, event.bytes);
  });
  return heap_map(ledgers, question, shape, used);
}

HeapMap heap_map(Ledgers& ledgers, const Question& question, const HeapMapShape& shape,
                 const std::vector<UsedAddresses>& used) {
  HeapMap map;
  map.columns = std::max<size_t>(shape.columns, 1);
  const Stretch stretch = stretch_of(ledgers, question);
  map.begin_ns = stretch.begin_ns;
  const auto duration = static_cast<double>(std::max<uint64_t>(stretch.end_ns - map.begin_ns, 1));
  map.column_ns = duration / static_cast<double>(map.columns);

  size_t rows = std::max<size_t>(shape.rows, 1);
  lay_out(map, choose_regions(used, std::clamp<size_t>(shape.regions, 1, rows)), rows);

  map.cells.resize(map.rows * map.columns);
  map.elsewhere.resize(map.columns);
  map.sizes.resize(map.columns);
  MapFiller filler(map, duration);
  ledgers.block_events(without_range(question),
                       [&filler](const BlockEvent& event) { filler.add(event); });
  filler.finish();
  return map;
}

}  // namespace heapledger
