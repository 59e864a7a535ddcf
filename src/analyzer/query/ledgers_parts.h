// What Ledgers keeps between questions.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/inheritance.h"
#include "analyzer/ledger_set.h"
#include "analyzer/overview_book.h"
#include "analyzer/query.h"
#include "analyzer/query/brief.h"
#include "analyzer/query/cells.h"
#include "analyzer/query/grouping.h"
#include "analyzer/query/stack_names.h"
#include "analyzer/query/tally.h"

namespace heapledger {

namespace seal {
class LiveReplay;
}

struct LiveMoment;

// What the first pass over some heaps has found.
struct HeapView {
  HeapChoice heaps;
  Analysis analysis;
  Overview overview;
  std::unique_ptr<OverviewBook> book;
  bool groups_listed = false;
};

struct Ledgers::Parts {
  Parts(std::vector<Opener> openers, Options options)
      : set(std::move(openers), std::move(options)) {}

  // What a question has selected and counted, before it is made an answer.
  struct Counted {
    Tallied tallied;
    const std::vector<uint32_t>* sites = nullptr;  // by account
    bool by_account = false;                       // cells are of accounts
    bool from_briefs = false;                      // threads are those of the briefs
    std::vector<char> selected;                    // accounts, by their stacks; empty: all
    Grouping grouping;
    Members members;                // own peaks of groups that overlap
    std::vector<uint64_t> sizes;    // by cell
    std::vector<ThreadId> threads;  // likewise
    HeapChoice added;               // what the totals are of
    uint64_t begin_ns = 0;
    uint64_t end_ns = 0;
  };

  // Makes the heaps that a filter names those of `view`.
  void look(const Patterns& heaps);
  bool is_read() const { return view != nullptr; }
  void read();
  void read_view(HeapView& reading);
  void give_accounts(uint32_t count);
  void take_end_for_peak();
  void add_up();
  void list_groups();
  StackNames& names();
  Watch resolve(const MomentSpec& moment);

  static void check(const Question& question, size_t ledgers);
  Counted count(const Question& question);
  Plan make_plan(const Question& question, Counted& counted);
  void run(const Question& question, const Plan& plan, Counted& counted);
  bool is_in_overview(const Question& question) const;
  void take_from_overview(const Question& question, Counted& counted) const;
  void select_blocks(const Question& question, const Counted& counted, Plan& plan);
  Answer answer(const Question& question, Counted& counted);
  const std::vector<ThreadFacts>& threads_of(uint32_t ledger, const Counted& counted) const;

  // What is live at a moment, without the rest (live_at.cpp).
  bool read_briefs();
  uint64_t duration() const;
  bool find_live_moment(const MomentSpec& moment, LiveMoment& found);
  bool play_to(const LiveMoment& moment, uint32_t ledger,
               std::unique_ptr<seal::LiveReplay>& replay) const;
  bool count_live(const Question& question, Counted& counted);
  void keep_live(const Question& question, Counted& counted);
  const LedgerFacts& facts_of(uint32_t ledger) const {
    return is_read() ? view->analysis.ledgers[ledger] : briefs[ledger].facts;
  }

  LedgerSet set;
  Patterns looked_at;                            // where a filter names no heaps
  std::vector<std::unique_ptr<HeapView>> views;  // malloc's first
  HeapView* view = nullptr;     // the one that is asked; none before the first pass
  uint32_t given_accounts = 0;  // given out in all passes
  std::vector<uint32_t> sites;  // by account
  const SymbolTable* symbols = nullptr;
  std::function<std::string(std::string_view)> rename;
  std::unique_ptr<StackNames> stack_names;
  bool briefs_tried = false;
  std::vector<uint32_t> live_sites;    // by account, of the last question about live blocks
  std::vector<Brief> briefs;           // of all ledgers; none when some are not sealed
  std::vector<LedgerFacts> processes;  // as the briefs have them
};

// The numbers below `count`, those with the largest weight first; empty when the order makes no
// difference, because no tree of so few stacks is cut.
std::vector<uint32_t> largest_first(const Question& question, size_t count,
                                    const std::function<uint64_t(uint32_t)>& weight);

CellKey key_of(const Question& question);
bool is_by_stack(const Question& question);
[[noreturn]] void refuse_marker(const std::string& name, const std::vector<Marker>& known);

}  // namespace heapledger
