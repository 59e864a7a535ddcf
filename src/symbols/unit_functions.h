// Which functions of one unit the wanted addresses are in: one pass over the unit's entries for all
// addresses together. Functions that hold none of them are stepped over.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <span>
#include <vector>

#include "symbols/abbrevs.h"
#include "symbols/dwarf_sections.h"
#include "symbols/elf_file.h"

namespace heapledger {

// A function, or one that is inlined into its parent.
struct FunctionNode {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint64_t entry;  // offset in .debug_info
  uint32_t parent;
  bool inlined;
};

struct UnitFunctions {
  std::vector<FunctionNode> nodes;
  std::vector<uint32_t> at;  // for each address the innermost function, or FunctionNode::kNone
};

// `addresses` are sorted; `code` says where functions can be. `dwarf` is the handle that has the
// unit, `sections` are its sections.
UnitFunctions find_functions(Dwarf* dwarf, const DwarfSections& sections, const UnitPlace& unit,
                             Abbrevs& abbrevs, std::span<const uint64_t> addresses,
                             std::span<const AddressRange> code);

// Whether code can be at `address`.
bool holds(std::span<const AddressRange> code, uint64_t address);

}  // namespace heapledger
