// Stacks, or lines, of two sets of ledgers as units to be matched (difference_match.h). A whole
// stack is its list of functions with the base names of their files, recursion as it is, inlined
// ones like all others. The program's own part of it is without allocators, their wrappers and
// standard libraries, which differ with every compiler; it begins with the frame to blame.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzer/query/code_place.h"
#include "analyzer/query/difference_builds.h"
#include "analyzer/query/difference_keys.h"
#include "analyzer/query/difference_match.h"

namespace heapledger {

class DifferenceStacks {
 public:
  // By owner; by site: whole stacks; or by line.
  DifferenceStacks(Ledgers& before, Ledgers& after, DifferenceBuilds& builds, GroupBy by);
  DifferenceStacks(const DifferenceStacks&) = delete;
  DifferenceStacks& operator=(const DifferenceStacks&) = delete;

  // The unit that a row of one side is in: in an answer by line, or else by site. Figures are left
  // to the caller.
  uint32_t unit_of(size_t side, const Row& row);
  std::vector<MatchUnit>& units() { return units_; }

  // MatchUnit::owner of a row by owner.
  uint32_t owner_of(size_t side, const Row& row) { return blamed_keys(side, row).lined; }

 private:
  struct Frame {
    uint32_t whole = 0;  // function and file
    uint32_t lined = 0;  // and line
    uint32_t name = 0;
    uint32_t plain = 0;
    uint32_t line = 0;
    bool own = false;    // the program's
    bool code = true;    // in a module, or with a name
    bool moved = false;  // another build
  };
  // Of a stack from some frame outwards.
  struct Keys {
    bool known = false;
    bool moved = false;  // any of it is another build
    uint32_t whole = 0;
    uint32_t lined = 0;  // the program's own part, as the next two;
    uint32_t names = 0;  // where code may have moved, as the next
    uint32_t plain = 0;
  };
  struct Code {
    std::unordered_map<CodePlace, std::vector<Frame>, CodePlaceHash> places;
    std::vector<Keys> stacks;  // by node of the catalog
  };
  struct Side {
    Ledgers* ledgers = nullptr;
    Code* code = nullptr;  // of the same ledgers: the same
    std::unordered_map<uint64_t, uint32_t> units;
  };

  const std::vector<Frame>& frames_at(size_t side, uint32_t site);
  Frame frame_keys(size_t side, const NamedFrame& frame);
  Keys keys_of(size_t side, uint32_t site);
  Frame blamed_keys(size_t side, const Row& row);
  uint32_t owner_at(size_t side, uint32_t site);
  MatchUnit make_unit(size_t side, const Row& row, const Keys& keys);
  void add_frame(const Frame& frame, Keys& keys);
  void read_stack(size_t side, uint32_t site, MatchUnit& unit);

  DifferenceBuilds& builds_;
  GroupBy by_;
  Code codes_[2];
  Side sides_[2];
  KeyNumbers numbers_;
  std::vector<MatchUnit> units_;
};

}  // namespace heapledger
