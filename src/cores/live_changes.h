// What changes in a live heap from one reading to the next: for each site and for all together the
// live bytes and blocks, how they grow, and what was allocated meanwhile. Sums and differences of
// what the tables say, and nothing else; of sampled heaps, estimates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/query/figures.h"
#include "cores/live_heap.h"

namespace heapledger::cores {

// Of the sums, calls and bytes are since the reading before; the rest of them no table has.
struct Change : Sums {
  int64_t growth = 0;              // of live bytes since the reading before
  int64_t growth_since_first = 0;  // the same since the first reading
  std::vector<uint64_t> history;   // live bytes of the last readings; the last is this one

  // Both together; the histories are of the same readings.
  void add(const Change& other);
};

struct SiteChange {
  uint32_t site = 0;  // in the heap; 0: those whose stack is not known
  Change change;
};

class LiveChanges {
 public:
  static constexpr size_t kHistory = 24;

  explicit LiveChanges(size_t history = kHistory) : history_(history) {}

  // The next reading of the same process, in which sites keep their numbers.
  void add(const LiveHeap& heap);

  const Change& total() const { return total_; }

  // Those that have live blocks, or had some at the first reading or the last one, or allocated
  // since that. In the order of their numbers.
  std::vector<SiteChange> sites() const;

  uint64_t readings() const { return readings_; }
  uint64_t interval_ns() const { return interval_ns_; }        // since the reading before
  uint64_t since_first_ns() const { return since_first_ns_; }  // 0 at the first

  // Calls and bytes mean something: there was a reading before, and every call is counted.
  bool has_rates() const { return has_accounts_ && interval_ns_ > 0; }
  bool estimated() const { return estimated_; }

 private:
  struct Book {
    uint64_t live_bytes = 0;
    uint64_t live_blocks = 0;
    uint64_t bytes_before = 0;  // live at the reading before …
    uint64_t bytes_first = 0;   // … and at the first
    uint64_t calls = 0;         // since the start of the program
    uint64_t bytes = 0;
    uint64_t new_calls = 0;  // since the reading before
    uint64_t new_bytes = 0;
    uint32_t ring = 0;  // its history, from 1 on; 0: nothing was ever live
  };

  void begin_reading(const LiveHeap& heap);
  void count_extents(const LiveHeap& heap);
  void settle(const LiveHeap& heap, uint32_t site);
  Change change_of(const Book& book) const;

  size_t history_;
  std::vector<Book> books_;      // by site
  std::vector<uint64_t> rings_;  // history_ numbers for each; all turn together
  Change total_;
  uint64_t readings_ = 0;
  uint64_t first_ns_ = 0;
  uint64_t last_ns_ = 0;
  uint64_t interval_ns_ = 0;
  uint64_t since_first_ns_ = 0;
  bool has_accounts_ = false;
  bool estimated_ = false;
};

// An amount that came together in so much time, for one second; 0 when no time has passed.
double per_second(double amount, uint64_t interval_ns);

}  // namespace heapledger::cores
