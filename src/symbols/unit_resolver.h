// The frames of the addresses of one unit after the other: functions from the unit's entries, lines
// from its line program, names demangled once each. For one thread and one file.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/dwarf_file.h"
#include "symbols/function_names.h"
#include "symbols/line_program.h"
#include "symbols/symbol_table.h"
#include "symbols/text_pool.h"
#include "symbols/unit_functions.h"
#include "symbols/unit_index.h"

namespace heapledger {

class UnitResolver {
 public:
  // What the symbol tables call the address of that index (mangled), and what it is called at
  // worst.
  using SymbolName = std::function<std::string(uint32_t index)>;
  // Takes the frames of an address; function and file are numbers in texts().
  using Sink = std::function<void(uint32_t index, std::span<const SymbolFrame> frames)>;

  UnitResolver(DwarfFile& file, std::span<const uint64_t> addresses, SymbolName symbol);

  // Calls the sink for every address of the unit that has a function or a line in it.
  void resolve(const UnitWork& work, const Sink& sink);

  const TextPool& texts() const { return texts_; }

 private:
  // A function as its entry describes it.
  struct Described {
    uint32_t name = 0;
    uint64_t call_file = UINT64_MAX;
    uint32_t call_line = 0;
    bool done = false;
  };

  // Where the functions of a unit are.
  struct View {
    Dwarf* dwarf;
    DwarfSections sections;
    UnitPlace place;
  };
  struct Unit;

  void renew_when_due(const UnitPlace& place);
  View view_of(const UnitPlace& place, Dwarf_Die& entry);
  uint32_t file_text(Unit& unit, uint64_t number);
  void add_frames(Unit& unit, uint32_t node, const SourceLine& line);
  const Described& describe(Dwarf* dwarf, const FunctionNode& node, bool plain_names,
                            Described& memo);
  uint32_t name_by_symbol(uint32_t name, uint32_t index);

  DwarfFile& file_;
  const std::vector<AddressRange> code_;
  const std::span<const uint64_t> addresses_;
  const SymbolName symbol_;
  Abbrevs abbrevs_;
  TextPool texts_;
  FunctionNames names_{texts_};
  std::vector<SymbolFrame> frames_;  // of one address
  uint64_t bytes_ = 0;               // of units since the handle was new
};

}  // namespace heapledger
