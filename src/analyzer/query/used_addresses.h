// Which addresses of a process are used at all: ranges, rounded to pages. When there are too many
// of them the pages become larger, so it takes a bounded amount of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace heapledger {

struct UsedRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  double bytes = 0;  // that were asked for in it

  uint64_t size() const { return end - begin; }
};

class UsedAddresses {
 public:
  static constexpr uint64_t kFirstPage = 4096;
  static constexpr size_t kMaxRanges = 8192;

  // A block, and the bytes that it stands for.
  void add(uint64_t address, uint64_t size, uint64_t bytes);

  // In ascending order; none touches another.
  std::vector<UsedRange> ranges() const;

 private:
  void insert(uint64_t begin, uint64_t end, double bytes);
  void coarsen();

  uint64_t page_ = kFirstPage;
  std::map<uint64_t, UsedRange> by_begin_;
};

// Joins neighbours until what is unused between those that stay apart is what is worth leaving out:
// the widest gaps are cut first, until a quarter of the rest is unused at the most, or there are
// `most` ranges. The ranges are those of one process, in ascending order.
std::vector<UsedRange> cut_at_wide_gaps(const std::vector<UsedRange>& ranges, size_t most);

}  // namespace heapledger
