#include "symbols/unit_index.h"

#include <dwarf.h>

#include <algorithm>

#include "symbols/unit_functions.h"

namespace heapledger {
namespace {

// How many ranges that reach over an address are looked at to find a unit. Only folded functions
// and dropped code make them overlap.
constexpr int kMostLooks = 16;

struct UnitRange {
  uint64_t start;
  uint64_t end;
  uint32_t unit;
};

bool next_unit(Dwarf* dwarf, Dwarf_Off& next, UnitPlace& place) {
  const Dwarf_Off start = next;
  size_t header = 0;
  Dwarf_Half version = 0;
  Dwarf_Off abbrevs = 0;
  uint8_t address_size = 0;
  uint8_t offset_size = 0;
  if (dwarf_next_unit(dwarf, start, &next, &header, &version, &abbrevs, &address_size, &offset_size,
                      nullptr, nullptr) != 0) {
    return false;
  }
  place = {.start = start,
           .first_entry = start + header,
           .end = next,
           .abbrevs = abbrevs,
           .version = version,
           .address_size = address_size,
           .offset_size = offset_size};
  return next > start;
}

// Adds the ranges of a unit; false when it says nothing about them.
bool add_ranges(Dwarf_Die& entry, std::span<const AddressRange> code, uint32_t unit,
                std::vector<UnitRange>& ranges) {
  Dwarf_Addr base = 0;
  Dwarf_Addr start = 0;
  Dwarf_Addr end = 0;
  bool any = false;
  for (ptrdiff_t at = 0; (at = dwarf_ranges(&entry, at, &base, &start, &end)) > 0;) {
    any = true;
    if (start < end && holds(code, start)) ranges.push_back({start, end, unit});
  }
  return any;
}

}  // namespace

std::vector<UnitPlace> all_units(Dwarf* dwarf) {
  std::vector<UnitPlace> units;
  UnitPlace place;
  for (Dwarf_Off next = 0; next_unit(dwarf, next, place);) units.push_back(place);
  return units;
}

bool find_unit(Dwarf* dwarf, uint64_t entry, UnitPlace& place) {
  for (Dwarf_Off next = 0; next_unit(dwarf, next, place);) {
    if (place.first_entry == entry) return true;
  }
  return false;
}

UnitIndex index_units(const DwarfFile& file, std::span<const uint64_t> addresses) {
  UnitIndex index;
  const std::vector<AddressRange> code = file.file().code();
  std::vector<UnitWork> all;
  std::vector<UnitRange> ranges;
  bool ranges_known = false;
  UnitPlace place;
  for (Dwarf_Off next = 0; next_unit(file.dwarf(), next, place);) {
    Dwarf_Die entry;
    if (dwarf_offdie(file.dwarf(), place.first_entry, &entry) == nullptr) continue;
    const int tag = dwarf_tag(&entry);
    if (tag != DW_TAG_compile_unit && tag != DW_TAG_skeleton_unit) continue;
    if (add_ranges(entry, code, static_cast<uint32_t>(all.size()), ranges)) ranges_known = true;
    all.push_back({place, {}});
  }
  index.any = !all.empty();
  std::sort(ranges.begin(), ranges.end(),
            [](const UnitRange& a, const UnitRange& b) { return a.start < b.start; });

  for (uint32_t i = 0; i < addresses.size(); ++i) {
    auto at = std::upper_bound(
        ranges.begin(), ranges.end(), addresses[i],
        [](uint64_t address, const UnitRange& range) { return address < range.start; });
    const UnitRange* found = nullptr;
    for (int looks = 0; at != ranges.begin() && found == nullptr && looks < kMostLooks; ++looks) {
      if (addresses[i] < (--at)->end) found = &*at;
    }
    if (found != nullptr) {
      all[found->unit].addresses.push_back(i);
    } else {
      index.unassigned.push_back(i);
    }
  }
  for (UnitWork& unit : all) {
    // Some compilers leave the ranges out: then every unit may have every address.
    if (!ranges_known) unit.addresses = index.unassigned;
    if (!unit.addresses.empty()) index.units.push_back(std::move(unit));
  }
  if (!ranges_known && index.any) index.unassigned.clear();
  return index;
}

}  // namespace heapledger
