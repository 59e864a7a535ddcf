// Shares out the resident memory of one process: what lies in which mapping, and so whose it is.
//
// Where the recorder has looked at the mappings, each part follows from what is resident of one:
// blocks first, then what the program mapped there, and the rest is what the mapping is for. In
// malloc's memory that is free memory it holds. Otherwise there is the sum of all to go by, and the
// pages that blocks lie in.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyzer/query/where_rss.h"
#include "format/resident.h"

namespace heapledger {

struct PlacedBlock {
  uint64_t address = 0;
  uint64_t size = 0;
  uint32_t account = 0;
};

// What is known of a process at the moment.
struct ResidentFacts {
  uint64_t page_bytes = 4096;
  bool glibc_model = true;
  std::vector<PlacedBlock> blocks;    // live, of malloc's heap
  std::vector<PlacedBlock> mappings;  // live, as recorded
  bool has_rss = false;
  uint64_t rss = 0;
  bool has_file_rss = false;
  uint64_t file_rss = 0;
  bool has_look = false;
  uint64_t looked_total = 0;  // resident then; rss may be another by now
  std::vector<format::ResidentRange> ranges;
  uint64_t left_since_look = 0;  // of malloc's memory, by blocks that came and went after the look
};

// What a block that is freed leaves to malloc; nothing where it had pages of its own.
uint64_t left_by(const PlacedBlock& block, const ResidentFacts& facts);

// Sums over processes.
struct ResidentSums {
  uint64_t touched_pages = 0;
  uint64_t touched_bytes = 0;
  uint64_t live_bytes = 0;
  uint64_t rounding_bytes = 0;
  std::array<uint64_t, kRssParts> bytes{};  // wrap around below 0: see of()
  std::array<std::vector<uint64_t>, kRssParts> by_account;

  int64_t of(RssPart part) const { return static_cast<int64_t>(bytes[static_cast<size_t>(part)]); }
  void add(RssPart part, uint64_t more) { bytes[static_cast<size_t>(part)] += more; }
  void own(RssPart part, uint32_t account, uint64_t more);
};

// Sorts what is in `facts`.
void share_out(ResidentFacts& facts, ResidentSums& sums);

}  // namespace heapledger
