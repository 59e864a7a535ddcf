// What can be asked: a plain value, which can be written as JSON and read back (question_json.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/query/figures.h"
#include "analyzer/query/filter.h"
#include "analyzer/query/moment.h"

namespace heapledger {

enum class GroupBy {
  kNothing,        // totals alone
  kSite,           // whole stacks
  kFunction,       // every function on the stack, recursion counted once
  kFile,           // the same for the files they are in …
  kLine,           // … the lines …
  kModule,         // … and the modules
  kOwner,          // the line to blame, which every stack has one of
  kPart,           // a few parts of the program that have most of it (parts.h)
  kThread,         // that allocated
  kSize,           // as requested
  kSizeClass,      // from a power of two to the next
  kLifetimeClass,  // the same in nanoseconds; and never freed
  kLedger,         // the process
  kRank,           // of a parallel job; with what its processes forked or executed
  kHost,           // that processes ran on
  kJob,            // of a batch system
  kHeap,           // malloc, mmap, the program's own pools
};

// "site", "function", "file", "line", "module", "owner", "part", "thread", "size", "size-class",
// "lifetime", "process", "rank", "host", "job", "heap". Throws Error that lists them.
GroupBy parse_group_by(std::string_view text);
std::string_view name_of(GroupBy by);

enum class TreeShape {
  kNone,
  kTopDown,    // from the outermost function to the one that allocates
  kBottomUp,   // from the one that allocates outwards
  kCallersOf,  // from Question::function outwards
  kCalleesOf,  // from Question::function inwards
};

// "none", "top-down", "bottom-up", "callers", "callees".
std::string_view name_of(TreeShape shape);

inline constexpr size_t kMaxTreeNodes = size_t{2} << 20;

// What is counted only on request, because it takes time or memory.
struct Wanted {
  bool own_peaks = false;  // for groups of functions and trees; groups that do not overlap have it
  bool lifetimes = false;
  bool sizes = false;    // the common ones; smallest, largest and average are always there
  bool threads = false;  // that allocate and that free
  // Peaks can be left out, which the index does not have: of ranges, of what a filter on single
  // blocks leaves, and of threads, classes and processes.
  bool no_range_peaks = false;
  bool operator==(const Wanted&) const = default;
};

struct Question {
  // Either what is live at a moment (calls, bytes and so on are those of the whole recording) …
  MomentSpec at{MomentSpec::Kind::kPeak, 0, 0, {}};
  // … or, when set, what happened between two: figures are of blocks allocated in it, live ones
  // of those still live at its end; frees and ended blocks are those of the range.
  std::optional<std::pair<MomentSpec, MomentSpec>> between;

  Filter filter;
  std::optional<uint32_t> ledger;  // only this one

  GroupBy by = GroupBy::kSite;
  TreeShape tree = TreeShape::kNone;  // if any, `by` is not looked at
  std::string function;               // for kCallersOf and kCalleesOf: a pattern as in filters
  std::string below;                  // a pattern: frames inside such a function count as its own
  // Of a tree: only what is below one node, which becomes node 0. The names of the nodes that lead
  // to it, the one after the root first and its own last; such a node need not be there.
  std::vector<std::string> path;
  bool skip_wrappers = true;  // "self" is the first frame that is no allocator or library

  // Nothing but what is live at the moment: of the figures only the live ones are filled in, and
  // only groups that have some are there. From sealed ledgers this reads the notes and what lies
  // between the moment and the checkpoint before it, and needs no overview; for the peaks the
  // overview has to say when they are. `sort` is kLiveBytes or kLiveBlocks.
  bool only_live = false;

  // Rows come sorted, the largest first; only the first `top` are made up. Of a tree, nodes with
  // less than this share of its root are left out.
  Measure sort = Measure::kLiveBytes;
  size_t top = SIZE_MAX;
  double least_share = 0.001;
  size_t most_nodes = kMaxTreeNodes;  // of a tree; when it would have more, some stacks end early

  Wanted wanted;

  bool operator==(const Question&) const = default;
};

}  // namespace heapledger
