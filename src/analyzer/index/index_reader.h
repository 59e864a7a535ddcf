// Answers from the index and from what the first pass has found: everything that takes no pass.
// Does not change once it was made, but for what is made once, when it is first asked for: names,
// and groups of stacks. Any number of threads may ask at once, while another one makes a pass.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/index/cube.h"
#include "analyzer/query/answer.h"
#include "analyzer/query/call_tree.h"
#include "analyzer/query/cohort.h"
#include "analyzer/query/fold.h"
#include "analyzer/query/heap_view.h"
#include "analyzer/query/processes.h"
#include "analyzer/query/stack_answer.h"
#include "analyzer/query/stack_names.h"
#include "analyzer/query/stretch_sums.h"
#include "analyzer/query/timeline.h"

namespace heapledger {

class SymbolTable;

// The same whoever asks, and nothing has to be found for them again.
bool has_fixed_groups(const Question& question);

// How what is in the stacks is called.
struct Naming {
  const SymbolTable* symbols = nullptr;
  std::function<std::string(std::string_view)> rename;
  std::vector<std::string> more_wrappers;  // functions that others have found to be such
};

struct Named {
  std::unique_ptr<StackNames> names;
  std::vector<std::string> passing_on;  // functions that were found to, and so count as wrappers
};
Named make_names(const SiteCatalog& catalog, const Naming& naming);

// What of the index answers a question.
struct IndexRange {
  std::optional<uint32_t> from;  // an edge; nothing: the start
  std::optional<uint32_t> to;    // nothing: the end
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  const Lives* lives = nullptr;  // of the cube, if accounts alone do not tell
};

// What it has there.
struct IndexCount {
  Tallied tallied;
  bool by_account = true;                     // its cells
  std::vector<ThreadId> threads;              // of its cells, if they are of threads
  std::vector<uint32_t> first_of_group = {};  // by cell, of groups of processes: a ledger in it
};

class IndexReader {
 public:
  // `view` is that of malloc's heap, `sites` are those of its accounts. What is `named` already
  // need not be named again.
  IndexReader(const LedgerSet& set, std::shared_ptr<HeapView> view,
              std::shared_ptr<const Cube> cube, std::vector<uint32_t> sites, Naming naming,
              Named named);

  // All that is made once.
  void make_ready() const;

  // The same under other names.
  std::shared_ptr<const IndexReader> renamed(Naming naming) const;

  const Cube& cube() const { return *cube_; }
  const std::shared_ptr<HeapView>& view() const { return view_; }

  // Nothing: it takes a pass. Throw Error when the question is wrong.
  std::optional<Answer> ask(const Question& question) const;
  std::optional<Timeline> timeline(const Question& question) const;
  std::optional<Cohorts> cohorts(const Question& question, uint32_t most_cells) const;
  std::optional<Answer> cohort(const Question& question, const Cohort& cohort) const;

  // Whether the cube has the answer, and where.
  std::optional<IndexRange> find(const Question& question) const;
  // `selected`: the accounts that the filter on stacks selects.
  IndexCount count(const Question& question, const IndexRange& range,
                   const std::vector<char>& selected) const;

  // The same of the whole recording, where nothing is live yet, if accounts alone do not tell; and
  // if what is live at a moment tells the rest.
  std::optional<IndexCount> count_whole(const Question& question,
                                        const std::vector<char>& selected) const;

  // Names for all sites, and what it takes to walk them.
  StackNames& names() const;
  const std::vector<std::string>& passing_on() const;
  const CallTree& calls() const;

 private:
  // Which groups there are is the same whatever is counted.
  struct KnownGroups {
    GroupBy by;
    bool skip_wrappers;
    std::string below;
    std::shared_ptr<const Grouping> grouping;
    std::shared_ptr<const OrderedGroups> ordered;  // once it was asked for
  };

  // Where each account is in the order of calls, and what they all add up to.
  struct KnownSums {
    KnownSums(const SiteCatalog& catalog, const ClosedAccounts& accounts,
              const std::vector<uint32_t>& sites);
    std::shared_ptr<const AccountOrder> order;
    WholeSums whole;
  };
  const KnownSums& sums() const;
  struct LiveRoom;
  std::shared_ptr<const OrderedGroups> ordered_groups(const Question& question) const;
  bool is_in_sums(const Question& question) const;
  Answer answer_from_sums(const Question& question, std::optional<uint32_t> edge) const;

  Answer answer(const Question& question, const std::vector<char>& selected,
                IndexCount counted) const;
  void describe(const Question& question, const IndexCount& counted, uint32_t cell, Row& row) const;
  const Lives* find_lives(const Question& question) const;
  LifeChoice choose_lives(const Question& question, const Lives& lives,
                          const std::vector<char>& selected) const;
  IndexCount count_lives(const Question& question, const Lives& lives, const LifeWindow& window,
                         const std::vector<char>& selected) const;
  // Never nullptr. Those of the last filters are kept.
  std::shared_ptr<const std::vector<char>> select(const Question& question) const;
  bool has_cohorts(const Question& question) const;
  std::vector<char> select_below_path(const Question& question) const;
  KnownGroups& known_groups(const Question& question, const StackWorld& world) const;
  std::shared_ptr<const Grouping> groups(const Question& question, const StackWorld& world,
                                         const std::vector<char>& selected,
                                         const Tallied& tallied) const;
  StackWorld world() const;
  void make_names_once() const;

  FactsOf facts_of() const {
    return
        [this](uint32_t ledger) -> const LedgerFacts& { return view_->overview.processes[ledger]; };
  }

  const LedgerSet& set_;
  std::shared_ptr<HeapView> view_;
  std::shared_ptr<const Cube> cube_;
  std::vector<uint32_t> sites_;  // by account
  Naming naming_;

  mutable std::once_flag once_;
  mutable Named known_names_;
  mutable std::unique_ptr<CallTree> calls_;
  mutable std::once_flag sums_once_;
  mutable std::unique_ptr<const KnownSums> sums_;
  mutable std::mutex rooms_mutex_;
  mutable std::vector<std::vector<StretchSums::Live>> rooms_;
  mutable std::mutex grouping_;
  mutable std::list<KnownGroups> known_groups_;  // the last used first
  struct Selection {
    Patterns functions;
    Patterns modules;
    std::shared_ptr<const std::vector<char>> accounts;
  };
  mutable std::mutex selecting_;
  mutable std::list<Selection> selections_;  // likewise
};

}  // namespace heapledger
