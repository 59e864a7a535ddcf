// What a SymbolTable is made of; for its own files alone.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "symbols/symbol_table.h"
#include "symbols/text_pool.h"

namespace heapledger {

struct SymbolTable::Parts {
  // The frames of an address, as a piece of `frames`.
  struct Piece {
    uint32_t first = 0;
    uint32_t count = 0;
  };

  struct Module {
    std::string path;
    std::string build_id;
    SymbolSource source = SymbolSource::kNothing;
    std::string remark;
    tsl::robin_map<uint64_t, Piece> addresses;
  };

  TextPool texts;
  std::vector<SymbolFrame> frames;
  std::deque<Module> modules;
  tsl::robin_map<std::string, uint32_t> module_numbers;  // by path, NUL, build id
};

}  // namespace heapledger
