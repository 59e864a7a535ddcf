// What the rules look at: every site with its figures, as the analyzer counts them, and with what
// only the order of single blocks tells. Collected once for all rules, in memory bounded by sites
// and live blocks.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "advice/growth.h"
#include "analyzer/query.h"

namespace heapledger {

inline constexpr size_t kQuarters = 4;  // of a run

struct SiteFacts {
  std::vector<uint32_t> sites;  // the one with most calls first
  Figures figures;              // live ones: at the peak
  Growth growth;

  uint64_t temporary_bytes = 0;
  uint64_t freed = 0;           // by free
  uint64_t freed_by_other = 0;  // by another thread than the one that allocated it

  // Frees, one after the other: by one thread, which allocates nothing meanwhile. What is never
  // freed is one such run.
  uint64_t free_runs = 0;

  // What nobody freed, by the quarter of the run in which it was allocated; without what the
  // system's libraries keep on purpose.
  std::array<uint64_t, kQuarters> left_bytes{};
  uint64_t left_blocks = 0;
  uint64_t left_bytes_in_all() const;

  uint64_t over_aligned_calls = 0;  // with an alignment that is larger than the block
  uint64_t over_aligned_bytes = 0;  // by how much, in all
  uint64_t largest_alignment = 0;

  // Allocated in the first tenth of the run and live at the peak; and when its neighbours, itself
  // included, allocated for the last time in that tenth and for the first time after it. 0: never.
  // Without what the system's libraries keep on purpose.
  uint64_t early_bytes = 0;
  uint64_t early_blocks = 0;
  uint64_t neighbours_before_ns = 0;
  uint64_t neighbours_after_ns = 0;

  // At the peak of the resident memory: what is free in pages that blocks of this site lie in, each
  // page shared by the blocks in it.
  uint64_t pinned_bytes = 0;

  void add(const SiteFacts& other);
};

// How the allocator of the recording rounds sizes up, as far as that is documented.
enum class Rounding {
  kUnknown,
  kGlibc,    // 16 bytes with 8 of its own; from 128 KiB on pages
  kClasses,  // four classes from a power of two to the next: jemalloc, tcmalloc, mimalloc
};

struct RunFacts {
  std::vector<SiteFacts> sites;  // by site
  uint64_t calls = 0;
  uint64_t bytes = 0;
  uint64_t peak_bytes = 0;
  uint64_t peak_time_ns = 0;
  uint64_t duration_ns = 0;
  uint64_t rss_bytes = 0;  // at its peak, where the recorder has looked at the mappings; else 0
  Rounding rounding = Rounding::kUnknown;
  std::vector<std::string> threads;  // their names, as in LedgerFacts::threads
};

// One pass over the ledger, and another one where the recorder has looked at the mappings.
RunFacts collect(Ledgers& ledgers, uint32_t ledger);

Rounding rounding_of(const std::string& allocator);

}  // namespace heapledger
