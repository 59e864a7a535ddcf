#include "analyzer/index/index_reader.h"

#include <algorithm>

#include "analyzer/free_memory.h"
#include "analyzer/index/cohorts.h"
#include "analyzer/index/life_classes.h"
#include "analyzer/query/cell_rows.h"
#include "analyzer/query/classes.h"
#include "analyzer/query/fold.h"
#include "analyzer/query/pass_on.h"
#include "analyzer/query/processes.h"
#include "analyzer/query/tree_growth.h"

namespace heapledger {
namespace {

constexpr size_t kMostKnownGroups = 8;
constexpr size_t kMostSelections = 8;

}  // namespace

bool has_fixed_groups(const Question& question) {
  const bool overlap = question.by != GroupBy::kOwner;
  return question.tree == TreeShape::kNone && is_by_stack(question) && !is_by_part(question) &&
         !(overlap && !question.below.empty());
}

Named make_names(const SiteCatalog& catalog, const Naming& naming) {
  Named made{std::make_unique<StackNames>(catalog, naming.symbols, naming.rename), {}};
  StackNames& names = *made.names;
  for (uint32_t name : find_those_that_pass_on(names)) {
    made.passing_on.emplace_back(names.text(name));
  }
  std::vector<uint32_t> more;
  for (const std::string& name : naming.more_wrappers) more.push_back(names.intern(name));
  names.count_as_wrappers(more);
  return made;
}

IndexReader::IndexReader(const LedgerSet& set, std::shared_ptr<HeapView> view,
                         std::shared_ptr<const Cube> cube, std::vector<uint32_t> sites,
                         Naming naming, Named named)
    : set_(set),
      view_(std::move(view)),
      cube_(std::move(cube)),
      sites_(std::move(sites)),
      naming_(std::move(naming)),
      known_names_(std::move(named)) {}

std::shared_ptr<const IndexReader> IndexReader::renamed(Naming naming) const {
  return std::make_shared<IndexReader>(set_, view_, cube_, sites_, std::move(naming), Named{});
}

// --- names and groups ---

void IndexReader::make_names_once() const {
  std::call_once(once_, [this] {
    calls_ = std::make_unique<CallTree>(set_.catalog());
    if (known_names_.names == nullptr) known_names_ = make_names(set_.catalog(), naming_);
    known_names_.names->complete();
  });
}

void IndexReader::make_ready() const {
  make_names_once();
  sums();
}

StackNames& IndexReader::names() const {
  make_names_once();
  return *known_names_.names;
}

const std::vector<std::string>& IndexReader::passing_on() const {
  make_names_once();
  return known_names_.passing_on;
}

const CallTree& IndexReader::calls() const {
  make_names_once();
  return *calls_;
}

StackWorld IndexReader::world() const {
  return {set_, sites_, names(), calls(), &view_->accounts, sums().order};
}

// Of fixed groups; for one thread at a time.
IndexReader::KnownGroups& IndexReader::known_groups(const Question& question,
                                                    const StackWorld& world) const {
  auto known = std::find_if(known_groups_.begin(), known_groups_.end(), [&](const auto& one) {
    return one.by == question.by && one.skip_wrappers == question.skip_wrappers &&
           one.below == question.below;
  });
  if (known == known_groups_.end()) {
    known_groups_.push_front(
        {question.by, question.skip_wrappers, question.below,
         std::make_shared<const Grouping>(find_groups(question, world, {}, {})), nullptr});
    if (known_groups_.size() > kMostKnownGroups) known_groups_.pop_back();
  } else {
    known_groups_.splice(known_groups_.begin(), known_groups_, known);
  }
  return known_groups_.front();
}

std::shared_ptr<const Grouping> IndexReader::groups(const Question& question,
                                                    const StackWorld& world,
                                                    const std::vector<char>& selected,
                                                    const Tallied& tallied) const {
  if (!has_fixed_groups(question)) {
    return std::make_shared<const Grouping>(find_groups(question, world, selected, tallied));
  }
  std::lock_guard lock(grouping_);
  return known_groups(question, world).grouping;
}

std::shared_ptr<const OrderedGroups> IndexReader::ordered_groups(const Question& question) const {
  const StackWorld of = world();
  std::lock_guard lock(grouping_);
  KnownGroups& known = known_groups(question, of);
  if (known.ordered == nullptr) {
    known.ordered = std::make_shared<const OrderedGroups>(known.grouping, of.order);
    give_back_free_memory();
  }
  return known.ordered;
}

std::shared_ptr<const std::vector<char>> IndexReader::select(const Question& question) const {
  static const auto all = std::make_shared<const std::vector<char>>();
  const Filter& filter = question.filter;
  if (!filter.on_stacks()) return all;
  StackNames& of = names();
  std::lock_guard lock(selecting_);
  auto known = std::find_if(selections_.begin(), selections_.end(), [&](const Selection& one) {
    return one.functions == filter.functions && one.modules == filter.modules;
  });
  if (known == selections_.end()) {
    selections_.push_front(
        {filter.functions, filter.modules,
         std::make_shared<const std::vector<char>>(select_stacks(filter, sites_, of))});
    if (selections_.size() > kMostSelections) selections_.pop_back();
  } else {
    selections_.splice(selections_.begin(), selections_, known);
  }
  return selections_.front().accounts;
}

// --- answers ---

std::optional<IndexRange> IndexReader::find(const Question& question) const {
  if (!question.filter.heaps.empty()) return std::nullopt;
  IndexRange range;
  Question of_accounts = question;
  of_accounts.between.reset();
  const bool in_cube = is_in_accounts(of_accounts, set_.size()) &&
                       (!question.between || question.wanted.no_range_peaks);
  if (!in_cube) {
    range.lives = find_lives(question);
    if (range.lives == nullptr) return std::nullopt;
  }
  const Edges& edges = in_cube ? cube_->edges : range.lives->edges;
  const Watch begin = question.between ? resolve(question.between->first, *view_) : Watch{};
  const Watch end = resolve(question.between ? question.between->second : question.at, *view_);
  using What = Watch::What;
  range.begin_ns = begin.time_ns;
  range.end_ns = end.time_ns;
  if (begin.time_ns > end.time_ns) return std::nullopt;  // which is refused
  if (begin.what == What::kTime) range.from = edges.at(begin.time_ns);
  if (end.what == What::kTime) range.to = edges.at(end.time_ns);
  const bool begins = begin.what == What::kStart || range.from;
  const bool ends = range.to || (question.between && end.what == What::kEnd);
  if (!begins || !ends) return std::nullopt;
  const bool has_changes =
      !in_cube || !question.between || cube_->has_changes(range.from, range.to);
  return has_changes ? std::optional(range) : std::nullopt;
}

IndexCount IndexReader::count(const Question& question, const IndexRange& range,
                              const std::vector<char>& selected) const {
  if (range.lives != nullptr) {
    LifeWindow window{0, UINT32_MAX, range.to};
    if (question.between) {
      window.first = range.from ? *range.from + 1 : 0;
      window.last = range.to.value_or(UINT32_MAX);
    }
    return count_lives(question, *range.lives, window, selected);
  }
  IndexCount counted;
  if (question.between) {
    Paged<Cell>& cells = counted.tallied.cells;
    cells.grow_to(static_cast<uint32_t>(sites_.size()));
    cube_->add_range(range.from, range.to, cells);
    for (uint32_t i = 0; i < cells.size() && !cube_->spreads.empty(); ++i) {
      const bool counts = selected.empty() || (i < selected.size() && selected[i] != 0);
      if (counts && cells[i].time_ns > 0) counted.tallied.has_time = true;
    }
    return counted;
  }
  Question at_start = question;  // where nothing is live
  at_start.at = {MomentSpec::Kind::kStart, 0, 0, {}};
  counted.tallied = tally_accounts(at_start, *view_);
  cube_->add_live(*range.to, counted.tallied.cells);
  return counted;
}

std::optional<Answer> IndexReader::ask(const Question& question) const {
  if (question.only_live || !question.filter.heaps.empty()) return std::nullopt;
  check(question, set_.size());
  if (is_in_overview(question, set_.size())) {
    Answer known = is_in_sums(question) ? answer_from_sums(question, std::nullopt)
                                        : answer(question, *select(question),
                                                 {tally_accounts(question, *view_), true, {}});
    known.begin_ns = known.end_ns = resolve(question.at, *view_).time_ns;
    return known;
  }
  const std::optional<IndexRange> range = find(question);
  if (!range) return std::nullopt;
  Answer found;
  if (range->lives == nullptr && is_in_sums(question)) {
    found = answer_from_sums(question, range->to);
  } else {
    const std::shared_ptr<const std::vector<char>> selected = select(question);
    found = answer(question, *selected, count(question, *range, *selected));
  }
  found.end_ns = range->end_ns;
  found.begin_ns = question.between ? range->begin_ns : range->end_ns;
  found.from_index = true;
  return found;
}

void IndexReader::describe(const Question& question, const IndexCount& counted, uint32_t cell,
                           Row& row) const {
  const std::vector<LedgerFacts>& processes = view_->overview.processes;
  switch (question.by) {
    case GroupBy::kThread: {
      const ThreadId& thread = counted.threads[cell];
      describe_thread(thread, processes[thread.first].threads, row);
      break;
    }
    case GroupBy::kSizeClass:
    case GroupBy::kLifetimeClass:
      describe_class(question.by, cell, row);
      break;
    case GroupBy::kLedger:
      describe_process(cell, processes[cell], row);
      break;
    case GroupBy::kRank:
    case GroupBy::kHost:
    case GroupBy::kJob:
      row.ledger = counted.first_of_group[cell];
      describe_process_group(question.by, processes[row.ledger], row);
      break;
    case GroupBy::kNothing:
      row.name = "all";
      break;
    default:
      describe_site(cell < sites_.size() ? sites_[cell] : SiteCatalog::kRoot, names(), row);
  }
}

Answer IndexReader::answer(const Question& question, const std::vector<char>& of_stacks,
                           IndexCount counted) const {
  Tallied& tallied = counted.tallied;
  const std::vector<char> all;
  const std::vector<char>& selected = counted.by_account ? of_stacks : all;
  Answer answer;
  answer.heaps = names_of(set_.heaps(), view_->heaps);
  Fold fold(set_, question, tallied);
  fold.totals(answer, selected);
  if (is_by_stack(question)) {
    const StackWorld of = world();
    const std::shared_ptr<const Grouping> grouping = groups(question, of, selected, tallied);
    answer_by_stack(question, of, *grouping, selected, tallied, answer);
  } else if (question.by != GroupBy::kNothing) {
    for (uint32_t i = 0; i < tallied.cells.size() && !selected.empty(); ++i) {
      if (i >= selected.size() || selected[i] == 0) tallied.cells[i] = Cell{};
    }
    fold.cells_as_rows(answer,
                       [&](uint32_t cell, Row& row) { describe(question, counted, cell, row); });
    if (is_by_class(question.by)) sort_classes(answer);
  }
  return answer;
}

// Of what the filter selects, what is below the path.
std::vector<char> IndexReader::select_below_path(const Question& question) const {
  std::vector<char> selected = *select(question);
  if (question.path.empty()) return selected;
  Question one_node = question;
  one_node.most_nodes = 1;
  one_node.least_share = 0;
  const Grouping below = grow_tree(one_node, sites_, names(), calls(), [&](uint32_t account) {
    const bool counts = selected.empty() || selected[account] != 0;
    return counts ? std::optional<uint64_t>(1) : std::nullopt;
  });
  selected.assign(sites_.size(), 0);
  for (size_t i = 0; i < sites_.size(); ++i) selected[i] = below.self[i] == 0 ? 1 : 0;
  return selected;
}

std::optional<Timeline> IndexReader::timeline(const Question& question) const {
  const Filter& filter = question.filter;
  if (!filter.heaps.empty()) return std::nullopt;
  check(question, set_.size());
  const bool needs_lives = filter.on_blocks() || (question.ledger && set_.size() > 1);
  if (!needs_lives) return cube_->timeline(select_below_path(question));
  const bool by_account = filter.on_stacks() || !question.path.empty();
  const Lives& lives = by_account ? cube_->lives : cube_->all_lives;
  if (!can_choose(filter, lives)) return std::nullopt;
  return lives.timeline(choose_lives(question, lives, select_below_path(question)));
}

// Whether rows of the cube can be told apart by what the question looks at. How far off samples
// may be is not known by birth and death.
bool IndexReader::has_cohorts(const Question& question) const {
  const Filter& filter = question.filter;
  if (filter.on_blocks() || !filter.heaps.empty() || !cube_->spreads.empty()) return false;
  if (!cube_->has_all_changes()) return false;
  check(question, set_.size());
  return !question.ledger || set_.size() == 1;
}

std::optional<Cohorts> IndexReader::cohorts(const Question& question, uint32_t most_cells) const {
  if (!has_cohorts(question)) return std::nullopt;
  return cohorts_of(*cube_, select_below_path(question), most_cells);
}

std::optional<Answer> IndexReader::cohort(const Question& question, const Cohort& cohort) const {
  const bool by_stack =
      question.by == GroupBy::kNothing || question.by == GroupBy::kSite || is_by_stack(question);
  if (!has_cohorts(question) || !by_stack) return std::nullopt;
  IndexCount counted;
  counted.tallied.cells.grow_to(static_cast<uint32_t>(sites_.size()));
  add_cohort(*cube_, cohort, counted.tallied.cells);
  Answer found = answer(question, *select(question), std::move(counted));
  const Edges& edges = cube_->edges;
  const uint32_t first = std::min(cohort.born.first, edges.count - 1);
  found.begin_ns = first == 0 ? 0 : edges.time_of(first - 1);
  found.end_ns = edges.time_of(std::min(cohort.born.last, edges.count - 1));
  found.from_index = true;
  return found;
}

}  // namespace heapledger
