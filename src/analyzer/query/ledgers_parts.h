// What Ledgers keeps between questions.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/index/cube.h"
#include "analyzer/inheritance.h"
#include "analyzer/ledger_set.h"
#include "analyzer/overview_book.h"
#include "analyzer/query.h"
#include "analyzer/query/brief.h"
#include "analyzer/query/cells.h"
#include "analyzer/query/grouping.h"
#include "analyzer/query/stack_names.h"
#include "analyzer/query/tally.h"
#include "analyzer/query/turns.h"

namespace heapledger {

namespace seal {
class LiveScan;
}

struct LiveMoment;
struct IndexRange;

// What the first pass over some heaps has found.
struct HeapView {
  HeapChoice heaps;
  Overview overview;
  std::unique_ptr<OverviewBook> book;
};

struct Ledgers::Own {
  Asker asker;
  Patterns looked_at;                  // where a filter names no heaps
  std::shared_ptr<HeapView> view;      // of the last question
  std::shared_ptr<HeapView> looked;    // of looked_at, because references to it were given out
  std::vector<LedgerFacts> processes;  // as the briefs have them
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

  // Makes the heaps that a filter names those of own->view.
  void look(const Patterns& heaps);
  void look_at_own();  // those that the asker looks at
  bool is_read() const { return !views.empty(); }
  void read();
  void read_view(HeapView& reading);
  bool take_kept(HeapView& first);
  void keep();
  void list_sites();
  HeapView& view() const { return *own->view; }
  const std::vector<LedgerFacts>& ledgers() const { return view().overview.processes; }

  // One pass, up to the moments of the plan; `heaps` are those of the plan or the view.
  void scan(QuietBook& book, const HeapChoice& heaps, const Watch* begin, const Watch& end);
  StackNames& names();
  Watch resolve(const MomentSpec& moment);

  static void check(const Question& question, size_t ledgers);
  // `left_out`: accounts, or none.
  Counted count(const Question& question, const std::vector<char>& left_out = {});
  Plan make_plan(const Question& question, Counted& counted);
  void run(const Plan& plan, Counted& counted);
  // The accounts have all that is asked for, or all but what is live at the moment.
  bool is_in_overview(const Question& question) const;
  bool is_in_accounts(const Question& question) const;
  void take_from_overview(const Question& question, Counted& counted) const;
  void select_blocks(const Question& question, const Counted& counted, Plan& plan);
  Answer answer(const Question& question, Counted& counted);
  void find_groups(const Question& question, Counted& counted);
  void find_parts(const Question& question, Counted& counted);
  const CallTree& calls();
  const std::vector<ThreadFacts>& threads_of(uint32_t ledger, const Counted& counted) const;

  // What is live at a moment, without the rest (live_at.cpp).
  bool read_briefs();
  uint64_t duration() const;
  bool find_live_moment(const MomentSpec& moment, LiveMoment& found);
  bool scan_to(const LiveMoment& moment, uint32_t ledger,
               std::unique_ptr<seal::LiveScan>& scan) const;
  // At edges, and between them (index/).
  bool can_have_index();
  bool make_index();
  std::optional<IndexRange> find_in_index(const Question& question);
  bool is_in_index(const Question& question);
  bool count_in_index(const Question& question, Counted& counted);

  bool count_live(const Question& question, Counted& counted);
  bool count_at(const Question& question, Counted& counted);
  bool count_left(const std::vector<char>& left_out, Counted& counted);
  void keep_live(const Question& question, Counted& counted);
  Answer ask_live(Question question);
  const LedgerFacts& facts_of(uint32_t ledger) const {
    return is_read() ? ledgers()[ledger] : briefs[ledger].facts;
  }
  uint64_t time_of(const MomentSpec& moment);
  void find_owner(const std::vector<uint64_t>& by_account, RssLine& line);

  LedgerSet set;
  Turns turns;
  Own* own = nullptr;                            // whose turn it is
  std::vector<std::shared_ptr<HeapView>> views;  // malloc's first
  std::vector<uint32_t> sites;                   // by account
  const SymbolTable* symbols = nullptr;
  std::function<std::string(std::string_view)> rename;
  std::unique_ptr<StackNames> stack_names;
  std::unique_ptr<CallTree> call_tree;
  std::vector<std::string> passing_on;     // functions found to, when stack_names was made
  std::vector<std::string> more_wrappers;  // that others have found
  bool briefs_tried = false;
  std::vector<uint32_t> live_sites;  // by account, of the last question about live blocks
  bool index_tried = false;
  std::optional<Cube> index;  // of malloc's heap
  std::vector<Brief> briefs;  // of all ledgers; none when some are not sealed
};

// Everything that an asker does is done in its turn.
class Ledgers::Turn {
 public:
  explicit Turn(const Ledgers& ledgers) : parts_(*ledgers.parts_) {
    parts_.turns.take(ledgers.own_->asker.stop);
    before_ = std::exchange(parts_.own, ledgers.own_.get());
    if (parts_.is_read() && parts_.own->view == nullptr) parts_.own->view = parts_.views.front();
  }
  ~Turn() {
    parts_.own = before_;
    parts_.turns.give_back();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Parts& parts_;
  Own* before_;  // the same asker's, inside a call
};

// The numbers below `count`, those with the largest weight first; empty when the order makes no
// difference, because no tree of so few stacks is cut.
std::vector<uint32_t> largest_first(const Question& question, size_t count,
                                    const std::function<uint64_t(uint32_t)>& weight);

CellKey key_of(const Question& question);
bool is_by_stack(const Question& question);
bool is_by_part(const Question& question);
// Of groups that overlap: a pass has to know them.
bool has_own_peaks(const Question& question);
[[noreturn]] void refuse_marker(const std::string& name, const std::vector<Marker>& known);

}  // namespace heapledger
