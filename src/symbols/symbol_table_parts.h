// What a SymbolTable is made of; for its own files alone.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
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

  // Pieces by address. They come mostly in their order, and those that do take the least room.
  class Pieces {
   public:
    Piece& operator[](uint64_t address);
    const Piece* find(uint64_t address) const;  // nullptr: there is none
    size_t size() const { return in_order_.size() + others_.size(); }
    template <typename Use>
    void for_each(const Use& use) const {  // in no order
      for (const auto& [address, piece] : in_order_) use(address, piece);
      for (const auto& [address, piece] : others_) use(address, piece);
    }

   private:
    size_t place_of(uint64_t address) const;  // the first that is not before it
    std::vector<std::pair<uint64_t, Piece>> in_order_;
    tsl::robin_map<uint64_t, Piece> others_;
  };

  struct Module {
    std::string path;
    std::string build_id;
    SymbolSource source = SymbolSource::kNothing;
    std::string remark;
    Pieces addresses;
  };

  TextPool texts;
  std::vector<SymbolFrame> frames;
  std::deque<Module> modules;
  tsl::robin_map<std::string, uint32_t> module_numbers;  // by path, NUL, build id
};

}  // namespace heapledger
