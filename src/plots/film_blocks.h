// Who owns which part of the heap at the end of each frame of a film: those that have most over the
// whole time, by name, and the cells and large blocks that are theirs at that very moment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/query/heap_map.h"

namespace heapledger {

// A block that fills at least one cell.
struct FilmBlock {
  size_t first_cell = 0;  // a row of the map
  size_t cells = 0;
  uint8_t owner = 0;
};

class FilmBlocks {
 public:
  static constexpr size_t kOwners = 8;  // the last is everybody else

  struct Cell {
    uint8_t owner = 0;   // who has most of it
    uint8_t thirds = 0;  // of it that are live, rounded up
  };
  struct Moment {
    std::vector<Cell> cells;       // by row of the map
    std::vector<FilmBlock> large;  // by address
    std::array<uint64_t, kOwners> live{};
  };

  // `map` says where cells and frames are. Two passes over the blocks.
  FilmBlocks(Ledgers& ledgers, const HeapMap& map);

  const std::vector<std::string>& owners() const { return owners_; }
  const Moment& moment(size_t frame) const { return moments_[frame]; }
  uint64_t most() const { return most_; }  // that one owner ever has

 private:
  using Shares = std::array<int64_t, kOwners>;

  void name_owners(Ledgers& ledgers);
  uint8_t owner_of(Ledgers& ledgers, uint32_t site);
  void apply(const BlockEvent& event, uint8_t owner, int64_t sign);
  void take_moment();

  const HeapMap& map_;
  std::vector<std::string> owners_;
  std::map<uint32_t, uint8_t> owner_of_site_;
  std::vector<Shares> shares_;  // by row
  Shares live_{};
  std::map<std::pair<uint32_t, uint64_t>, FilmBlock> large_;  // by process and address
  std::vector<Moment> moments_;
  uint64_t most_ = 1;
};

}  // namespace heapledger
