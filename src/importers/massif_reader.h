// A recording of massif, made a ledger: at the time of each snapshot just so many bytes are live as
// it has, and where it has stacks, so many of each. Between snapshots nothing is known.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "importers/importer.h"
#include "importers/line_source.h"
#include "importers/made_up_addresses.h"
#include "importers/massif_file.h"
#include "writer/ledger_writer.h"

namespace heapledger {

class MassifReader {
 public:
  MassifReader(LineSource& lines, LedgerWriter& ledger) : lines_(lines), ledger_(ledger) {}

  Imported read(uint64_t ended_ns, const ImportProgress& progress);

 private:
  using Stacks = std::vector<std::pair<uint32_t, uint64_t>>;  // sites and their bytes, by site
  struct Block {
    uint64_t address = 0;
    uint64_t size = 0;
  };

  void write(const std::vector<MassifSnapshot>& snapshots, const ImportProgress& progress);
  Stacks between(uint64_t bytes, const MassifSnapshot& before, const MassifSnapshot& after) const;
  void change_to(const Stacks& stacks, uint64_t time_ns);

  LineSource& lines_;
  LedgerWriter& ledger_;
  Imported imported_;
  MadeUpAddresses addresses_;
  std::map<uint32_t, Block> live_;  // one block for each site
  uint32_t unknown_site_ = 0;       // of what snapshots without stacks have
};

}  // namespace heapledger
