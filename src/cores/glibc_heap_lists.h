// The lists of free chunks: those of the arenas, and those of the threads' own caches, whose chunks
// look as if they were in use.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cores/glibc_heap.h"
#include "cores/glibc_heap_parts.h"

namespace heapledger::cores {

enum class GlibcListed { kBin, kFastbin, kTcache };

class GlibcLists {
 public:
  GlibcLists(GlibcWords& words, const GlibcLayout& layout, GlibcProblems& problems)
      : words_(words), layout_(layout), problems_(problems) {}

  // The arenas' parts have to be known.
  void know(const std::vector<GlibcArena>& arenas);
  void read_bins(GlibcArena& arena);
  // The lists with one link a chunk: fastbins, and the caches, which are found among the chunks
  // that look as if they were in use. Returns the caches' addresses.
  std::vector<uint64_t> read_simple_lists(std::vector<GlibcArena>& arenas,
                                          const std::vector<GlibcChunk>& chunks);

  const std::unordered_map<uint64_t, GlibcListed>& listed() const { return listed_; }
  bool protects_links() const { return protects_; }

 private:
  // A version of the caches: how long they are, and how they count.
  struct Cache {
    unsigned lists;
    unsigned count_bytes;
    bool counts_free_places;  // since 2.42: how many more there is room for
  };
  struct CacheFound {
    uint64_t chunk = 0;
    Cache cache{};
    unsigned filled = 0;  // lists with something in them
    unsigned wrong = 0;
  };

  bool is_inside(uint64_t chunk) const;
  std::optional<uint64_t> size_at(uint64_t chunk);
  bool list(uint64_t chunk, GlibcListed where);
  // Link of a simple list that is stored at `address`.
  std::optional<uint64_t> link(uint64_t address, bool is_protected);
  // How well the links of those first chunks make sense; `to_blocks`: they lead to blocks, not to
  // their headers.
  void weigh_protection(const std::vector<uint64_t>& firsts, bool to_blocks);
  std::vector<uint64_t> first_in_fastbins(const GlibcArena& arena);
  void read_fastbins(GlibcArena& arena, const std::vector<uint64_t>& firsts);

  std::vector<Cache> possible_caches() const;
  uint64_t chunk_bytes(const Cache& cache) const;
  uint64_t entry(const CacheFound& found, unsigned index);
  uint64_t count(const CacheFound& found, unsigned index);
  CacheFound look_at(uint64_t chunk, const Cache& cache);
  std::vector<CacheFound> find_caches(const std::vector<GlibcArena>& arenas,
                                      const std::vector<GlibcChunk>& chunks);
  std::vector<CacheFound> candidates(const std::vector<GlibcChunk>& chunks);
  void add_by_threads(const std::vector<CacheFound>& candidates,
                      std::unordered_map<uint64_t, CacheFound>& sure);
  void read_cache(const CacheFound& found);

  GlibcWords& words_;
  const GlibcLayout layout_;
  GlibcProblems& problems_;
  std::vector<GlibcPart> parts_;  // of all arenas, by address
  std::unordered_map<uint64_t, GlibcListed> listed_;
  size_t good_links_[2] = {0, 0};  // read as they are, and as if protected
  bool protects_ = false;
};

}  // namespace heapledger::cores
