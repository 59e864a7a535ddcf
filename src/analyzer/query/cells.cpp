#include "analyzer/query/cells.h"

namespace heapledger {

uint64_t value_of(const Cell& cell, Measure measure) {
  return measure == Measure::kTime ? cell.time_ns : cell.*row_of(measure).sum;
}

void Cell::add(const Cell& other) {
  Sums::add(other);
  smallest = std::min(smallest, other.smallest);
  largest = std::max(largest, other.largest);
  time_ns += other.time_ns;
  calls_variance += other.calls_variance;
  bytes_variance += other.bytes_variance;
  live_variance += other.live_variance;
}

void TopSizes::add(uint64_t size, uint64_t calls, uint64_t over) {
  for (CommonSize& known : sizes_) {
    if (known.size != size) continue;
    known.calls += calls;
    known.over += over;
    return;
  }
  if (sizes_.size() < kKept) {
    sizes_.push_back({size, calls, over});
    return;
  }
  auto rarest =
      std::min_element(sizes_.begin(), sizes_.end(),
                       [](const CommonSize& a, const CommonSize& b) { return a.calls < b.calls; });
  *rarest = {size, rarest->calls + calls, rarest->calls + over};
}

void TopSizes::add(const TopSizes& other) {
  for (const CommonSize& size : other.sizes_) add(size.size, size.calls, size.over);
}

std::vector<CommonSize> TopSizes::sorted() const {
  std::vector<CommonSize> sorted = sizes_;
  std::sort(sorted.begin(), sorted.end(), [](const CommonSize& a, const CommonSize& b) {
    return a.calls != b.calls ? a.calls > b.calls : a.size < b.size;
  });
  if (sorted.size() > kCommonSizes) sorted.resize(kCommonSizes);
  return sorted;
}

void add_thread(ThreadIds& threads, ThreadId thread) {
  auto at = std::lower_bound(threads.begin(), threads.end(), thread);
  if (at == threads.end() || *at != thread) threads.insert(at, thread);
}

void Extras::add(const Extras& other) {
  lifetimes.add(other.lifetimes);
  sizes.add(other.sizes);
  for (ThreadId thread : other.allocating) add_thread(allocating, thread);
  for (ThreadId thread : other.freeing) add_thread(freeing, thread);
}

}  // namespace heapledger
