// What Ledgers keeps between questions.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/index/cube_book.h"
#include "analyzer/index/index_reader.h"
#include "analyzer/inheritance.h"
#include "analyzer/ledger_set.h"
#include "analyzer/overview_book.h"
#include "analyzer/query.h"
#include "analyzer/query/brief.h"
#include "analyzer/query/cells.h"
#include "analyzer/query/grouping.h"
#include "analyzer/query/heap_view.h"
#include "analyzer/query/stack_answer.h"
#include "analyzer/query/stack_names.h"
#include "analyzer/query/tally.h"
#include "analyzer/query/turns.h"

namespace heapledger {

namespace seal {
class LiveScan;
}

struct LiveMoment;

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
    bool from_index = false;
    bool from_briefs = false;                  // threads are those of the briefs
    std::vector<char> selected;                // accounts, by their stacks; empty: all
    std::shared_ptr<const Grouping> grouping;  // by stack
    Members members;                           // own peaks of groups that overlap
    std::vector<uint64_t> sizes;               // by cell
    std::vector<ThreadId> threads;             // likewise
    HeapChoice added;                          // what the totals are of
    uint64_t begin_ns = 0;
    uint64_t end_ns = 0;
  };

  // Makes the heaps that a filter names those of own->view.
  void look(const Patterns& heaps);
  void look_at_own();  // those that the asker looks at
  bool is_read() const { return !views.empty(); }
  void read();
  void read_view(HeapView& reading);
  // For the next command.
  bool can_keep() const;
  bool take_kept(HeapView& first);
  void keep();
  bool keeps_index() const;  // the first pass is to make one
  bool take_kept_index();
  bool can_be_in_index(const Question& question) const;
  void look_for_kept_index();
  void keep_index();
  void list_sites();
  HeapView& view() const { return *own->view; }
  const std::vector<LedgerFacts>& ledgers() const { return view().overview.processes; }

  // One pass, up to the moments of the plan; `heaps` are those of the plan or the view.
  void scan(QuietBook& book, const HeapChoice& heaps, const Watch* begin, const Watch& end);
  StackNames& names();
  Watch resolve(const MomentSpec& moment) const { return heapledger::resolve(moment, view()); }

  // `left_out`: accounts, or none.
  Counted count(const Question& question, const std::vector<char>& left_out = {});
  // False when it takes a pass.
  bool count_without_pass(const Question& question, const std::vector<char>& left_out,
                          Counted& counted);
  // Groups over time: lines by account, for the rows of the answer.
  std::vector<uint32_t> lines_of(const Question& question, const Counted& counted,
                                 const std::vector<Row>& rows) const;
  Plan make_plan(const Question& question, Counted& counted);
  void run(const Plan& plan, Counted& counted);
  void finish(const Plan& plan, Tally& tally, Counted& counted);
  void select_blocks(const Question& question, const Counted& counted, Plan& plan);
  Answer answer(const Question& question, Counted& counted);
  // The accounts at a moment, kept for the next question about it.
  bool can_keep_tally(const Question& question) const;
  Tallied take_tally(const Question& question);
  void keep_tally(const Question& question, Counted& counted);
  std::shared_ptr<const Grouping> groups_of(const Question& question, const Counted& counted);
  StackWorld stack_world(const Counted& counted);
  const CallTree& calls();
  const std::vector<ThreadFacts>& threads_of(uint32_t ledger, const Counted& counted) const;

  // What is live at a moment, without the rest (live_at.cpp).
  bool read_briefs();
  uint64_t duration() const;
  bool find_live_moment(const MomentSpec& moment, LiveMoment& found);
  bool scan_to(const LiveMoment& moment, uint32_t ledger,
               std::unique_ptr<seal::LiveScan>& scan) const;
  void run_in_steps(seal::LiveScan& scan, uint64_t from, uint64_t until) const;
  // At edges, and between them (index/).
  bool can_have_index() const;
  Edges edges_of_series() const;
  // Nothing: the first pass is to make no index, or nobody knows when it ends.
  std::optional<CubeBook> begin_cube(const HeapChoice& heaps) const;
  void index_is_made(std::shared_ptr<const Cube> cube);
  bool make_index(bool with_lives);
  bool is_in_index(const Question& question) const;
  bool count_in_index(const Question& question, bool some_left_out, Counted& counted);
  void publish(std::shared_ptr<const IndexReader> made);
  std::shared_ptr<const IndexReader> index_reader() const;  // nullptr: there is no index
  // For those who do not wait for their turn. nullptr: they have to.
  std::shared_ptr<const IndexReader> instant_reader() const;
  void set_naming(Naming changed);
  const std::vector<std::string>& passing_on();

  bool count_live(const Question& question, Counted& counted);
  bool count_at(const Question& question, bool some_left_out, Counted& counted);
  using LiveScans = std::vector<std::unique_ptr<seal::LiveScan>>;
  bool add_live_of_accounts(const LiveScans& scans, Paged<Cell>& cells);
  bool add_live_of_blocks(const Question& question, const LiveScans& scans, const Counted& counted,
                          IndexCount& whole);
  uint32_t account_of(uint32_t ledger, const LiveBlock& block);
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
  Naming naming;
  Named named;  // until a reader of the index has it
  struct KeptTally {
    std::shared_ptr<HeapView> view;
    MomentSpec::Kind moment;
    bool on_stacks;
    Tallied tallied;
  };
  std::optional<KeptTally> kept_tally;  // as the last question left it
  struct KeptOwners {
    bool skip_wrappers;
    std::shared_ptr<const Grouping> groups;
  };
  std::optional<KeptOwners> kept_owners;  // by the names in `named`
  std::unique_ptr<CallTree> call_tree;
  bool briefs_tried = false;
  std::vector<uint32_t> live_sites;  // by account, of the last question about live blocks
  uint64_t kept_pass_sum = 0;        // 0: it is not kept
  bool index_wanted = false;         // with the first pass, whether or not it is kept
  bool kept_index_tried = false;
  bool index_tried = false;
  std::shared_ptr<const Cube> first_cube;  // that the first pass has made
  mutable std::mutex reader_mutex;
  std::shared_ptr<const IndexReader> reader;  // of malloc's heap
  std::vector<Brief> briefs;                  // of all ledgers; none when some are not sealed
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

}  // namespace heapledger
