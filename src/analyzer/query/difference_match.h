// Which stacks of two programs are of the same place, and which rows of a difference they make up.
// Knows names and lines as numbers alone, no ledgers. Stages follow one upon the other, each with
// what the ones before have left: what is called the same first, then what is called the same with
// less looked at, and in between stacks that lack some frames of another (a call in the end of a
// function, or one inlined without a record of it, leaves none). Within what is called the same,
// lines decide by their order (difference_align.h), that of pairs found earlier included. Every
// unit is in exactly one row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heapledger {

// Stacks of one side that nothing tells apart.
struct MatchUnit {
  struct Frame {
    uint32_t name = 0;
    uint32_t line = 0;
  };
  static constexpr size_t kFirstStages = 4;  // before the one for frames that are missing
  static constexpr size_t kStages = 6;
  static constexpr size_t kFunctionStage = 4;  // whose key says in which function the line is

  uint8_t side = 0;
  bool moved = true;   // lines may have: another build. Otherwise only the first stage is for it,
                       // in which they are not looked at
  uint32_t owner = 0;  // what it is shown as part of: a number for each row of its side alone
  uint32_t line = 0;   // of the frame to blame
  uint32_t entry = 0;  // the library function that it calls to allocate; 0: none
  uint64_t calls = 0;  // to choose by
  uint64_t bytes = 0;
  std::array<uint32_t, kStages> keys{};  // by stage; 0: not in it
  std::vector<Frame> chain;  // the program's own frames, the one to blame first; none: not moved
};

// The row of each unit, from 0; `lacking`: those that stand in a row with a stack of the other side
// that has frames of which they have none, and are not what to call it by.
struct Matched {
  std::vector<uint32_t> rows;
  std::vector<char> lacking;
  uint32_t count = 0;
};

Matched match_units(const std::vector<MatchUnit>& units);

}  // namespace heapledger
