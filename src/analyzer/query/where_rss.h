// Where the resident memory goes at a moment. What is requested is exact; what the allocator adds
// to a block is a model of glibc's malloc (chunks of 16 bytes, 8 for its header, large ones in
// pages of their own) and left out when the program brings another allocator. What is resident is
// as the kernel told it: by mapping, where the recorder has looked, or else the sum of all that was
// sampled.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/query/frames.h"
#include "analyzer/query/moment.h"

namespace heapledger {

// In the order of a report. All of them together are the resident memory.
enum class RssPart : uint8_t {
  kLive,          // requested, live
  kRounding,      // what malloc adds to these blocks
  kNotResident,   // below 0: what of these is not in memory
  kPinned,        // free, in pages that live blocks lie in
  kFree,          // free, in other pages that the allocator holds
  kMappings,      // mapped by the program, as recorded
  kThreadStacks,  // of threads other than the first
  kMainStack,
  kCode,         // the program and its libraries: code and data
  kFiles,        // other files mapped, and shared memory
  kRecorder,     // ours
  kUnexplained,  // below 0: live blocks that are not in memory, where nobody has looked
};
inline constexpr size_t kRssParts = 12;
std::string_view name_of(RssPart part);

struct RssLine {
  RssPart part = RssPart::kLive;
  int64_t bytes = 0;
  uint64_t owner_bytes = 0;  // that the line of code with the most of it has; 0: nobody's
  NamedFrame owner;
};

struct SiteBytes {
  uint32_t site = 0;
  uint64_t bytes = 0;
};

struct WhereRss {
  MomentSpec at;  // as asked for; without samples the peak stands in for that of the RSS
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
  uint64_t sample_most_bytes = 0;  // the most there was up to that sample, since the one before
  bool has_file_rss = false;
  uint64_t file_rss_bytes = 0;    // of files mapped: code, libraries
  int64_t unexplained_bytes = 0;  // the last of the parts

  bool has_look = false;      // the parts are by mapping, in all processes
  uint64_t look_time_ns = 0;  // when the mappings were looked at
  uint64_t swapped_bytes = 0;
  bool has_inherited = false;  // some process was forked: its parent's blocks count as free
  std::vector<RssLine> parts;  // of has_rss; those that are nothing are left out
  std::vector<SiteBytes> pinned_by_site;  // has_look: what is free in pages that its blocks lie in
};

struct LedgerFacts;

// The first module that replaces glibc's malloc, or stands in for glibc; empty: there is none.
std::string other_malloc(const std::vector<LedgerFacts>& ledgers);

}  // namespace heapledger
