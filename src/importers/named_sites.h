// Stacks of recordings that have frames as Valgrind's tools write them: "0x1234: function
// (file.c:12)" or "0x1234: function (in /path/of/module)". Gives them sites in the ledger.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "writer/ledger_writer.h"

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

 private:
  uint32_t module_of(std::string_view path);

  LedgerWriter& ledger_;
  tsl::robin_map<std::string, uint32_t> numbers_;  // of frames
  std::vector<std::string> frames_;                // their texts
  std::map<std::string, uint32_t> modules_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> sites_;  // by parent and frame
};

// What the other commands show of the process: its words, and the first of them as the executable.
void write_command(LedgerWriter& ledger, std::string_view command, std::string_view what);

}  // namespace heapledger
