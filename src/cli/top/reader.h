// Readings of a running heap, one after the other, as `heapledger top` shows them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/shared/opened.h"
#include "cli/top/site_names.h"
#include "cores/live_changes.h"

namespace heapledger::cli::top {

struct WatchedSite {
  cores::Change change;
  uint32_t site = 0;
  const SiteName* name = nullptr;
};

// Everything that one screen shows.
struct TopReading {
  uint32_t pid = 0;
  std::string program;
  uint64_t elapsed_ns = 0;  // since the start of the program
  uint64_t rss_bytes = 0;   // 0: unknown
  size_t threads = 0;
  cores::Change total;
  std::vector<WatchedSite> sites;
  uint64_t interval_ns = 0;     // since the reading before
  uint64_t since_first_ns = 0;  // since the first
  uint64_t took_ns = 0;         // to read it
  bool has_rates = false;
  bool estimated = false;
  std::string ended;    // why there is no further one, for people; then all else is of the last
  std::string problem;  // what could not be read, if anything
};

class TopReader {
 public:
  TopReader(uint32_t pid, NameOptions names) : pid_(pid), names_(std::move(names)) {}

  // The first throws Error when the process cannot be read; the others say in `ended` that it is
  // gone. What they point to lives as long as this.
  TopReading read();

 private:
  bool read_heap(TopReading& reading);

  uint32_t pid_;
  SiteNames names_;
  cores::LiveChanges changes_;
  uint64_t started_ns_ = 0;  // of the process: whether it is still the same
  TopReading last_;
};

// At least so long from the beginning of one reading to that of the next: readings take no more
// than a quarter of the time.
uint64_t interval_for(uint64_t wanted_ns, uint64_t took_ns);

}  // namespace heapledger::cli::top
