// What many processes have of one thing: sum, mean, deviation, least, most and who has it, exactly;
// median and what is far from it, to a thirtieth. Takes as much room as there are different orders
// of size among them, however many processes there are. Adding in another order, or adding up
// parts, gives the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/json_text.h"

namespace heapledger::cli::fleet {

// One process and what it has.
struct Holder {
  uint32_t process = 0;
  uint64_t value = 0;
  bool operator==(const Holder&) const = default;
};

// Figures of a number of processes, of which some may have none.
struct Spread {
  uint64_t processes = 0;  // that have some
  uint64_t total = 0;
  uint64_t least = 0;
  uint64_t most = 0;
  double mean = 0;
  double deviation = 0;  // of all, not of a sample
  uint64_t median = 0;
  uint64_t mad = 0;       // the median of the distances from the median
  double imbalance = 0;   // how much more the most is than the mean; 0: all have the same
  uint64_t outliers = 0;  // further from the median than is usual
};

class Statistics {
 public:
  static constexpr size_t kHolders = 8;

  void add(Holder holder);
  // `first`: the number that the first process of the other gets here.
  void add(const Statistics& other, uint32_t first = 0);

  // All of it, for adding up later. False when the JSON is not of that.
  Json to_json() const;
  bool read(const Json& json);

  // Of so many processes: those that were not added have 0.
  Spread of(uint64_t processes) const;
  // Those with the most, and with the least of those that were added.
  const std::vector<Holder>& most() const { return most_; }
  const std::vector<Holder>& least() const { return least_; }
  uint64_t total() const { return total_; }
  uint64_t count() const { return count_; }

 private:
  // Values that begin with the same six bits.
  struct Bucket {
    uint32_t place = 0;
    uint64_t count = 0;
    uint64_t total = 0;
    uint64_t mean() const { return total / count; }
  };

  static uint32_t place_of(uint64_t value);
  void add(const Bucket& bucket);

  uint64_t count_ = 0;
  uint64_t total_ = 0;
  unsigned __int128 squares_ = 0;
  std::vector<Bucket> buckets_;  // by place
  std::vector<Holder> most_;     // the first of equals first
  std::vector<Holder> least_;
};

// How far from the median is far.
uint64_t usual_distance(const Spread& spread);
bool is_outlier(const Spread& spread, uint64_t value);

}  // namespace heapledger::cli::fleet
