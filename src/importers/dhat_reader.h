// A recording of DHAT, made a ledger. The file has sums for every stack: in all, at the peak, at
// the end. The ledger is a history with just these sums: blocks that are dead at the peak live one
// after the other before it, those of the peak are born next, and the others end after it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "importers/dhat_file.h"
#include "importers/importer.h"
#include "importers/line_source.h"
#include "writer/ledger_writer.h"

namespace heapledger {

class DhatReader {
 public:
  DhatReader(LineSource& lines, LedgerWriter& ledger) : lines_(lines), ledger_(ledger) {}

  Imported read(uint64_t ended_ns, const ImportProgress& progress);

 private:
  struct Stack {
    uint32_t site = 0;
    DhatLives lives;
    uint64_t peak_at = 0;  // addresses of the first of each group; the others follow
    uint64_t both_at = 0;
    uint64_t end_at = 0;
    uint64_t neither_at = 0;
  };
  struct Block {
    uint64_t address = 0;
    uint64_t size = 0;
  };

  void add_stacks(const DhatFile& file);
  void solve_all(const DhatFile& file);
  void add_sums();
  uint64_t room_for(const Blocks& blocks, bool one_after_the_other);
  void write_history(const DhatFile& file);

  void short_lives(bool as_large_as_the_peak);
  void births(const Blocks& blocks, uint64_t first, uint32_t site, bool empty);
  void deaths(const Blocks& blocks, uint64_t first);
  void birth(Block block, uint32_t site);
  void death(const Block& block);
  void short_life(Block block, uint32_t site);
  void end_last_short_life();
  void step();

  LineSource& lines_;
  LedgerWriter& ledger_;
  const ImportProgress* progress_ = nullptr;
  Imported imported_;
  std::vector<Stack> stacks_;
  Blocks peak_;  // of all together
  Blocks end_;
  uint64_t blocks_ = 0;      // in all
  uint64_t both_bytes_ = 0;  // live at both moments
  uint64_t live_bytes_ = 0;
  uint64_t most_bytes_ = 0;  // live at once
  uint64_t contradictions_ = 0;
  uint64_t births_left_ = 0;    // of the peak's blocks, the last at …
  uint64_t last_birth_ns_ = 0;  // … this time
  uint64_t next_address_ = uint64_t{1} << 20;
  Block last_short_;        // a short life that goes on until the next block is born
  uint64_t just_born_ = 0;  // the address, if that was the last thing to happen
};

}  // namespace heapledger
