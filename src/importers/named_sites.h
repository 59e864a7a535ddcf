// Stacks of recordings that have frames as Valgrind's tools write them: "0x1234: function
// (file.c:12)" or "0x1234: function (in /path/of/module)". Gives them sites in the ledger, and
// keeps their names for it.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "importers/ledger_writer.h"
#include "symbols/symbol_table.h"

namespace heapledger {

// The parts of such a text; what is not known is empty or 0.
struct FrameText {
  uint64_t pc = 0;
  std::string_view function;
  std::string_view file;
  std::string_view module;
  uint32_t line = 0;
};
FrameText parse_frame(std::string_view text);

class NamedSites {
 public:
  explicit NamedSites(LedgerWriter& ledger) : ledger_(ledger) {}

  // The number of a frame, the same for the same text.
  uint32_t frame(std::string_view text);

  // The site of a stack of frames, the innermost first; 0 when there are none.
  uint32_t site(std::span<const uint32_t> frames);

  std::string symbols() const { return symbols_.encode(); }

 private:
  struct Frame {
    uint64_t pc = 0;
    uint32_t module = 0;
  };

  Frame new_frame(const FrameText& text);

  LedgerWriter& ledger_;
  SymbolTable symbols_;
  tsl::robin_map<std::string, uint32_t> numbers_;  // of frames
  std::vector<Frame> frames_;
  std::map<std::string, uint32_t, std::less<>> modules_;
  std::set<std::pair<uint32_t, uint64_t>> taken_;            // modules and addresses
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> sites_;  // by parent and frame
  uint64_t next_made_up_ = uint64_t{1} << 60;
};

// What the other commands show of the process: its words, and the first of them as the executable.
void write_command(LedgerWriter& ledger, std::string_view command, std::string_view what);

}  // namespace heapledger
