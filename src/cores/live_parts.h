// The parts of the live tables: found from the header, read one by one. A part that is not in the
// dump, or lies where another one is already, is told and left out; so whatever the header claims,
// no more is read than the memory has.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cores/live_heap.h"
#include "cores/live_layout.h"
#include "cores/live_tables.h"

namespace heapledger::cores {

class LiveParts {
 public:
  LiveParts(const Memory& memory, const ForeignBytes& header, const FoundTables& found,
            std::vector<std::string>& problems);

  using Item = std::function<void(uint64_t index, const ForeignBytes& item)>;
  void for_each(format::LiveKind kind, const Item& item) const;

  // Each record of a block that held still while it was read: a program that runs may use it for
  // another block at any time.
  void for_each_block(const std::function<void(const ForeignBytes&)>& block) const;

  std::vector<OwnRange> ranges() const {
    std::vector<OwnRange> ranges;
    for (const auto& [start, end] : ends_) ranges.push_back({start, end});
    return ranges;
  }

 private:
  struct Part {
    uint64_t first;  // index of its first item
    uint64_t address;
    uint64_t items;
  };
  struct Table {
    uint32_t item_bytes = 0;
    std::vector<Part> parts;
  };

  void find_parts(const format::LiveTable& table, const ForeignBytes& header);
  bool take(uint64_t address, uint64_t bytes);
  std::vector<unsigned char> read(const Part& part, uint32_t item_bytes) const;
  const Table& table(format::LiveKind kind) const { return tables_[static_cast<size_t>(kind)]; }

  const Memory& memory_;
  bool big_endian_;
  uint64_t moved_;  // what to add to addresses in the tables, to find them in the memory
  std::vector<std::string>& problems_;
  Table tables_[format::kLiveKinds + 1];
  std::map<uint64_t, uint64_t> ends_;  // of parts that were taken, by where they begin
};

}  // namespace heapledger::cores
