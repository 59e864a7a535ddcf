// The one way to ask ledgers anything: open them as Ledgers, then take the overview or put
// questions. Every figure a front end shows comes from here, and two views of one quantity come
// from the same query, so they cannot disagree. Texts in answers are as they stand in the ledgers
// and the debug information: whoever shows them escapes them. A Ledgers is for one thread;
// for_asker() makes another one for another.
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
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/error.h"
#include "analyzer/heaps.h"
#include "analyzer/ledger_facts.h"
#include "analyzer/options.h"
#include "analyzer/query/answer.h"
#include "analyzer/query/blocks.h"
#include "analyzer/query/cohort.h"
#include "analyzer/query/edges.h"
#include "analyzer/query/events.h"
#include "analyzer/query/frames.h"
#include "analyzer/query/operations.h"
#include "analyzer/query/overview.h"
#include "analyzer/query/question.h"
#include "analyzer/query/suppressions.h"
#include "analyzer/query/timeline.h"
#include "analyzer/query/where_rss.h"
#include "analyzer/site_catalog.h"

namespace heapledger {

class SymbolTable;

namespace seal {
struct StoredCheckpoint;
}

class Ledgers {
 public:
  using Opener = std::function<std::unique_ptr<ByteSource>()>;

  // Throws Error when none of them can be read; the rest of those that cannot are in refusals().
  Ledgers(std::span<const std::string> paths, Options options);
  Ledgers(std::vector<Opener> sources, Options options);
  ~Ledgers();
  Ledgers(Ledgers&&) noexcept;
  Ledgers& operator=(Ledgers&&) noexcept;

  // The same ledgers for somebody else, who may ask in another thread at the same time: what has
  // been read and named is shared, what is looked at is not. Passes wait for each other.
  Ledgers for_asker(Asker asker) const;

  // What overview() and facts() are about from now on, and every question whose filter
  // names no heaps: those that fit and may be added together (heaps.h). At first malloc's.
  void look_at(const Patterns& heaps);

  // All heaps that something has happened in, by the numbers of rows; malloc's is the first.
  const HeapCatalog& heaps();

  // Read on the first call (one pass), kept since.
  const Overview& overview();
  const std::vector<Error>& refusals() const;

  // What the ledgers say about their processes.
  const std::vector<LedgerFacts>& facts();

  // The same as far as it is known without reading all: of sealed ledgers, before the overview was
  // asked for, who the processes were, when they ran and what was found damaged so far, but no
  // totals. Otherwise facts().
  const std::vector<LedgerFacts>& processes();

  // From the earliest start to the latest end; likewise.
  uint64_t duration_ns();

  // Names for frames from now on; nullptr: module+0xoffset. `rename` shortens function names, and
  // what has the same name is one function.
  void use_symbols(const SymbolTable* symbols,
                   std::function<std::string(std::string_view)> rename = {});

  // Needs no further pass for groups by site, owner, function, file, line and module and for trees
  // at the peak, the RSS peak and the end, without filters on blocks and without own peaks of
  // groups that overlap; anything else is one more.
  Answer ask(const Question& question);

  // The same at the level that explains most with few rows, by owner or by part, which becomes
  // that of the question: owners, if the first of them have so much of what is asked about; else so
  // many parts, if they have more.
  Answer explain(Question& question, size_t parts, unsigned enough_percent = 50);

  // Makes the index (index/cube.h), if it is not there and these ledgers can have one: one pass, or
  // of sealed ledgers that nothing was read of yet, together with the first one.
  // From then on questions at its edges and between them need none, as long as filters on blocks
  // select whole classes and peaks that a pass alone knows are not wanted: see Wanted. What was
  // kept may be without `lives`, by thread and by classes of sizes and lifetimes; then that is one
  // pass.
  bool make_index(bool with_lives = true);

  // When all is made that somebody will wait for: names sites, so that the first answer from the
  // index takes no longer than others, and gives back the memory that only making it needed.
  void settle();
  Edges edges();  // none without an index

  // Whether the index has the answer.
  bool is_in_index(const Question& question);

  // What the filter selects at every edge of the index and between them, of one process or below a
  // path where the question says so; its moments, groups and order do not matter. Throws Error when
  // there is no index, or when it does not have what the filter looks at.
  Timeline timeline(const Question& question);

  // Likewise: the plane of births and ends, at most so many cells wide, and what blocks of a
  // rectangle of it add up to, by stacks: calls, bytes, and what ended and was left of them. Of the
  // other figures nothing is known.
  Cohorts cohorts(const Question& question, uint32_t most_cells);
  Answer ask_cohort(const Question& question, const Cohort& cohort);

  // What each site has in each process, in the order of their numbers: sums over processes are what
  // rows by site have, own peaks are those of a process. Of one ledger this needs no pass where
  // such rows need none. Looks at moments, filter and ledger.
  void accounts_by_process(
      const Question& question,
      const std::function<void(uint32_t ledger, uint32_t site, const Figures&)>& use);

  // By whatever is asked for, at the end.
  NeverFreed never_freed(const Suppressions& suppressions, const Question& question = {});
  WhereRss where_rss(const MomentSpec& moment);

  // The largest blocks that are live at the moment, or of a range those still live at its end.
  // Looks at moments, filter (but for lifetimes), ledger and top.
  BlockList blocks(const Question& question);

  // Groups by site, owner or part, and how they came and went: one pass.
  GroupsOverTime over_time(const Question& question);

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

  // Functions of the program that turned out to pass on what the allocator gives them; and more of
  // them, which another recording has shown to be such.
  std::vector<std::string> functions_that_pass_on();
  void count_as_wrappers(const std::vector<std::string>& functions);

  // Every module and address (as symbols want it: pc - 1 - bias) that needs a name.
  const SiteCatalog& sites();

  // For sealing one of the ledgers: what the first pass has left of it, if Options asked for that.
  // Once.
  std::vector<seal::StoredCheckpoint> take_checkpoints(uint32_t ledger);

  // Keeps the first pass, if there was one and Options say where, and the index: for the files as
  // they are now, which have to be sealed. Of sealed ledgers both are kept without being told.
  void keep_first_pass();

  // When a moment is, since the start of the earliest ledger. Throws Error for an unknown marker.
  // Before the overview was asked for, this reads no more than it must.
  uint64_t time_of(const MomentSpec& moment);

  // The ledger with the most of a measure, by its own totals. Throws Error for one that processes
  // do not have.
  uint32_t worst(Measure measure);

  struct Parts;
  struct Own;  // what one asker has
  class Turn;

 private:
  friend class SharedPass;
  Ledgers(std::shared_ptr<Parts> parts, Asker asker);

  template <typename Found, typename Ask>
  Found ask_of_index(const char* what, const Ask& ask) const;

  std::shared_ptr<Parts> parts_;
  std::unique_ptr<Own> own_;
};

// Those that a process can be the worst by.
std::vector<Measure> measures_of_processes();

}  // namespace heapledger
