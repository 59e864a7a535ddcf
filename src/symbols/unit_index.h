// Which unit of the debug information each wanted address belongs to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "symbols/abbrevs.h"
#include "symbols/dwarf_file.h"

namespace heapledger {

struct UnitWork {
  UnitPlace place;
  std::vector<uint32_t> addresses;  // indices, rising
};

struct UnitIndex {
  std::vector<UnitWork> units;       // those with addresses, in the file's order
  std::vector<uint32_t> unassigned;  // in no unit
  bool any = false;                  // whether the file has units at all
};

UnitIndex index_units(const DwarfFile& file, std::span<const uint64_t> addresses);

// All units of the file, types and partial ones too, in its order.
std::vector<UnitPlace> all_units(Dwarf* dwarf);

// The place of the unit whose first entry is at `entry`; false when there is none.
bool find_unit(Dwarf* dwarf, uint64_t entry, UnitPlace& place);

}  // namespace heapledger
