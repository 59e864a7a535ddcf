// The one way to ask ledgers anything: open them as Ledgers, then take the overview or put
// questions. Every figure a front end shows comes from here, and two views of one quantity come
// from the same query, so they cannot disagree. Texts in answers are as they stand in the ledgers
// and the debug information: whoever shows them escapes them. Not for several threads at once.
//
//   Ledgers ledgers(paths, {});
//   const Overview& overview = ledgers.overview();          // one pass: what a report begins with
//   SymbolTable symbols = …;                                 // resolve ledgers.sites()
//   ledgers.use_symbols(&symbols);
//   Question question;
//   question.at = parse_moment("peak");
//   question.filter = parse_filter("size>=1k,thread=worker*");
//   question.by = GroupBy::kFunction;
//   question.top = 10;
//   Answer answer = ledgers.ask(question);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analysis.h"
#include "analyzer/heaps.h"
#include "analyzer/query/blocks.h"
#include "analyzer/query/events.h"
#include "analyzer/query/figures.h"
#include "analyzer/query/filter.h"
#include "analyzer/query/frames.h"
#include "analyzer/query/moment.h"
#include "analyzer/query/operations.h"
#include "analyzer/query/overview.h"
#include "analyzer/query/suppressions.h"
#include "analyzer/query/where_rss.h"

namespace heapledger {

class SymbolTable;

enum class GroupBy {
  kNothing,        // totals alone
  kSite,           // whole stacks
  kFunction,       // every function on the stack, recursion counted once
  kFile,           // the same for the files they are in …
  kLine,           // … the lines …
  kModule,         // … and the modules
  kThread,         // that allocated
  kSize,           // as requested
  kSizeClass,      // from a power of two to the next
  kLifetimeClass,  // the same in nanoseconds; and never freed
  kLedger,         // the process
  kHeap,           // malloc, mmap, the program's own pools
};

// "site", "function", "file", "line", "module", "thread", "size", "size-class", "lifetime",
// "process", "heap". Throws Error that lists them.
GroupBy parse_group_by(std::string_view text);
std::string_view name_of(GroupBy by);

enum class TreeShape {
  kNone,
  kTopDown,    // from the outermost function to the one that allocates
  kBottomUp,   // from the one that allocates outwards
  kCallersOf,  // from Question::function outwards
  kCalleesOf,  // from Question::function inwards
};

inline constexpr size_t kMaxTreeNodes = size_t{2} << 20;

// What is counted only on request, because it takes time or memory.
struct Wanted {
  bool own_peaks = false;  // for groups of functions and trees; groups that do not overlap have it
  bool lifetimes = false;
  bool sizes = false;    // the common ones; smallest, largest and average are always there
  bool threads = false;  // that allocate and that free
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
  bool skip_wrappers = true;          // "self" is the first frame that is no allocator or library

  // Rows come sorted, the largest first; only the first `top` are made up. Of a tree, nodes with
  // less than this share of its root are left out.
  Measure sort = Measure::kLiveBytes;
  size_t top = SIZE_MAX;
  double least_share = 0.001;
  size_t most_nodes = kMaxTreeNodes;  // of a tree; when it would have more, some stacks end early

  Wanted wanted;
};

// One group. Groups by function, file, line and module overlap: `all` has every block with the
// group on its stack, `self` those that it allocates itself; the sum of `self` is the total. Other
// groups do not, and `self` is the same as `all`.
struct Row {
  std::string name;  // for people
  Figures all;
  Figures self;
  uint32_t site = 0;     // by site: for Ledgers::frames()
  uint32_t ledger = 0;   // by thread and process: which one
  uint32_t heap = 0;     // by heap: for Ledgers::heaps()
  uint64_t key = 0;      // by thread: its tid; size: bytes; classes: lower bound, kNeverFreed
  std::string function;  // by function and line; file and line number by file and line
  std::string file;
  uint32_t line = 0;
  std::string module;
};
inline constexpr uint64_t kNeverFreed = UINT64_MAX;

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
};

struct Answer {
  Figures totals;  // of everything selected
  std::vector<Row> rows;
  std::vector<TreeNode> tree;
  uint64_t begin_ns = 0;  // since the start of the earliest ledger: the moment, or the range
  uint64_t end_ns = 0;
  uint64_t groups = 0;  // that there are; rows has the first of them
  std::string heaps;    // that the totals add up: "malloc"

  // Trees: sites whose stacks end early, because there would be too many nodes. Their figures are
  // those of the last function that is there.
  uint64_t cut_sites = 0;
};
// With more sizes than this, the others share a group with the key kOtherSizes.
inline constexpr size_t kMaxSizeGroups = 1u << 20;
inline constexpr uint64_t kOtherSizes = UINT64_MAX;

// What is never freed, by site, less what is suppressed.
struct NeverFreed {
  Answer answer;                     // by site, at the end; rows without suppressed ones
  Figures suppressed;                // all of them
  std::vector<SuppressionUse> uses;  // those that were used
};

// One line over time, as live bytes and blocks of one group.
struct SiteSeries {
  uint32_t site = 0;
  Series series;
};

class Ledgers {
 public:
  using Opener = std::function<std::unique_ptr<ByteSource>()>;

  // Throws Error when none of them can be read; the rest of those that cannot are in refusals().
  Ledgers(std::span<const std::string> paths, Options options);
  Ledgers(std::vector<Opener> sources, Options options);
  ~Ledgers();
  Ledgers(Ledgers&&) noexcept;
  Ledgers& operator=(Ledgers&&) noexcept;

  // What overview(), facts() and analysis() are about from now on, and every question whose filter
  // names no heaps: those that fit and may be added together (heaps.h). At first malloc's.
  void look_at(const Patterns& heaps);

  // All heaps that something has happened in, by the numbers of rows; malloc's is the first.
  const HeapCatalog& heaps();

  // Read on the first call (one pass), kept since.
  const Overview& overview();
  const std::vector<Refusal>& refusals() const;

  // What the ledgers say about their processes.
  const std::vector<LedgerFacts>& facts();

  // The same as far as it is known without reading all: of sealed ledgers, before the overview was
  // asked for, who the processes were, when they ran and what was found damaged so far, but no
  // totals. Otherwise facts().
  const std::vector<LedgerFacts>& processes();

  // From the earliest start to the latest end; likewise.
  uint64_t duration_ns();

  // Everything as analyze() gives it.
  const Analysis& analysis();

  // Names for frames from now on; nullptr: module+0xoffset. `rename` shortens function names, and
  // what has the same name is one function.
  void use_symbols(const SymbolTable* symbols,
                   std::function<std::string(std::string_view)> rename = {});

  // Needs no further pass for groups by site, function, file, line and module and for trees at the
  // peak, the RSS peak and the end, without filters on blocks and without own peaks of groups that
  // overlap; anything else is one more.
  Answer ask(const Question& question);

  // The same for what is live at a moment, and nothing else: of the figures only the live ones are
  // filled in, and only groups that have some are there. From sealed ledgers this reads the notes
  // and what lies between the moment and the checkpoint before it, and needs no overview; for the
  // peaks the overview has to say when they are. What cannot be had so (ledgers that are not
  // sealed, ranges, lifetimes) is asked for as above. `sort` is kLiveBytes or kLiveBlocks.
  Answer live_at(const Question& question);

  NeverFreed never_freed(const Suppressions& suppressions, const Question& question = {});
  WhereRss where_rss(const MomentSpec& moment);

  // The largest blocks that are live at the moment, or of a range those still live at its end.
  // Looks at moments, filter (but for lifetimes), ledger and top.
  BlockList blocks(const Question& question);
  std::vector<SiteSeries> series_of(std::span<const uint32_t> sites);

  // Every call, or the beginning and the end of every block, in the order of time: one pass. Looks
  // at `between`, filter (but for lifetimes) and ledger. Of a range: calls in it; blocks that begin
  // in it, and their ends in it. Ends that a filter is to choose are those of blocks it chooses.
  void calls(const Question& question, const std::function<void(const CallFacts&)>& use);
  void block_events(const Question& question, const std::function<void(const BlockEvent&)>& use);

  // Every call of one ledger, to be done again: one pass.
  LeftOut operations(uint32_t ledger, const std::function<void(const Operation&)>& use);

  // The stack of a site, innermost first; inlined functions are frames of their own.
  std::vector<NamedFrame> frames(uint32_t site);

  // The frame to blame: the first that is no allocator, wrapper or standard library; if all are,
  // the outermost of those. Empty name when there is no stack.
  NamedFrame first_interesting_frame(uint32_t site);

  // Every module and address (as symbols want it: pc - 1 - bias) that needs a name.
  const SiteCatalog& sites();

  // When a moment is, since the start of the earliest ledger. Throws Error for an unknown marker.
  // Before the overview was asked for, this reads no more than it must.
  uint64_t time_of(const MomentSpec& moment);

  // The ledger with the most of a measure, by its own totals: kPeakBytes, kLiveBytes (never freed),
  // kCalls, kBytes, kTemporaryCalls, kRssPeak.
  uint32_t worst(Measure measure);

  struct Parts;

 private:
  std::pair<uint64_t, uint64_t> range_of(const Question& question);

  std::unique_ptr<Parts> parts_;
};

}  // namespace heapledger
