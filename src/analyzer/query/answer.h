// What the answers are made of: plain values, which can be written as JSON and read back
// (answer_json.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/query/figures.h"
#include "analyzer/query/series.h"
#include "analyzer/query/suppressions.h"

namespace heapledger {

// The line to blame for most of a group, and for how much by the measure that sorts.
struct MainOwner {
  std::string function;
  std::string file;
  uint32_t line = 0;
  uint64_t amount = 0;
  bool operator==(const MainOwner&) const = default;
};

// One group. Groups by function, file, line and module overlap: `all` has every block with the
// group on its stack, `self` those that it allocates itself; the sum of `self` is the total. Other
// groups do not, and `self` is the same as `all`.
struct Row {
  std::string name;  // for people
  Figures all;
  Figures self;
  uint32_t site =
      0;  // by site: for Ledgers::frames(); by owner and part: the largest of its stacks
  uint32_t ledger = 0;   // by thread and process: which one
  uint32_t heap = 0;     // by heap: for Ledgers::heaps()
  uint64_t stacks = 0;   // by owner and part: how many lead there
  uint64_t key = 0;      // by thread: its tid; size: bytes; classes: lower bound, kNeverFreed; rank
  std::string function;  // by function and line; file and line number by file and line
  std::string file;
  uint32_t line = 0;
  std::string module;
  std::vector<std::string> callers;  // by part: of its function, the nearest first
  MainOwner owner;                   // by part
  bool is_rest = false;              // by part: the last row, what none of them has
  bool operator==(const Row&) const = default;
};
inline constexpr uint64_t kNeverFreed = UINT64_MAX;
inline constexpr uint64_t kNoRank = UINT64_MAX;

// A tree of calls. Node 0 is the root, which stands for everything; parents come before children.
struct TreeNode {
  std::string name;
  std::string file;
  uint32_t line = 0;
  std::string module;
  uint32_t parent = 0;
  uint32_t depth = 0;
  std::vector<uint32_t> children;  // the largest first
  uint32_t hidden = 0;             // children left out
  Figures all;
  Figures self;  // what ends here: top-down, the blocks allocated by this very frame
  bool operator==(const TreeNode&) const = default;
};

struct Answer {
  bool only_live = false;  // of the figures only the live ones are known
  Figures totals;          // of everything selected
  std::vector<Row> rows;
  std::vector<TreeNode> tree;
  uint64_t begin_ns = 0;  // since the start of the earliest ledger: the moment, or the range
  uint64_t end_ns = 0;
  // That there are; rows has the first of them. Of trees: those that are shown, and those left out
  // right inside them.
  uint64_t groups = 0;
  std::string heaps;        // that the totals add up: "malloc"
  bool from_index = false;  // else from a pass, or what the first one has left

  // Trees: sites whose stacks end early, because there would be too many nodes. Their figures are
  // those of the last function that is there.
  uint64_t cut_sites = 0;
  bool operator==(const Answer&) const = default;
};
// With more sizes than this, the others share a group with the key kOtherSizes.
inline constexpr size_t kMaxSizeGroups = 1u << 20;
inline constexpr uint64_t kOtherSizes = UINT64_MAX;

// What is never freed, less what is suppressed.
struct NeverFreed {
  Answer answer;                     // at the end; rows without suppressed ones
  Figures suppressed;                // all of them
  std::vector<SuppressionUse> uses;  // those that were used
};

// Groups that do not overlap, and row by row what they have live at the end of each bucket of time.
struct GroupsOverTime {
  Answer answer;
  uint64_t width_ns = 0;  // of the buckets: a power of two times that of the first ones of a Series
  std::vector<std::vector<uint64_t>> live_bytes;
};

}  // namespace heapledger
