// Where the resident memory goes at a moment. What is requested is exact; what the allocator adds
// is a model of glibc's malloc (chunks of 16 bytes, 8 for its header, large ones in pages of their
// own) and left out when the program brings another allocator; resident memory is sampled.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heapledger {

struct WhereRss {
  uint64_t time_ns = 0;
  uint64_t live_bytes = 0;  // requested
  uint64_t live_blocks = 0;

  bool glibc_model = false;     // the next one is known
  std::string other_malloc;     // the module that makes it unknown
  uint64_t rounding_bytes = 0;  // chunk headers and rounding of the live blocks

  uint64_t page_bytes = 0;
  uint64_t touched_pages = 0;        // that live blocks lie in
  uint64_t touched_bytes = 0;        // the same in bytes
  uint64_t fragmentation_bytes = 0;  // of these pages, neither requested nor rounding

  bool has_rss = false;  // there is a sample at or before the moment
  uint64_t rss_bytes = 0;
  uint64_t sample_time_ns = 0;
  bool has_file_rss = false;
  uint64_t file_rss_bytes = 0;    // of files mapped: code, libraries
  int64_t unexplained_bytes = 0;  // RSS less the pages and the files; below 0: not all is resident
};

struct LedgerFacts;

// The first module that replaces glibc's malloc, or stands in for glibc; empty: there is none.
std::string other_malloc(const std::vector<LedgerFacts>& ledgers);

}  // namespace heapledger
