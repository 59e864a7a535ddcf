// Ledgers: questions.
#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

#include "analyzer/error.h"
#include "analyzer/query.h"
#include "analyzer/query/classes.h"
#include "analyzer/query/fold.h"
#include "analyzer/query/ledgers_parts.h"
#include "analyzer/query/moment_books.h"
#include "analyzer/query/parts.h"
#include "analyzer/query/tree_growth.h"

namespace heapledger {
namespace {

// Frames that few stacks have.
constexpr size_t kDeepest = 32;

bool wants_lifetimes(const Question& question) {
  return question.wanted.lifetimes || question.sort == Measure::kMedianLifetime ||
         question.sort == Measure::kMeanLifetime;
}

bool thread_fits(const Patterns& patterns, const ThreadFacts& thread) {
  auto fits = [&thread](const std::string& pattern) {
    return pattern == std::to_string(thread.tid) || matches(pattern, thread.name);
  };
  bool in = patterns.in.empty() || std::any_of(patterns.in.begin(), patterns.in.end(), fits);
  return in && std::none_of(patterns.out.begin(), patterns.out.end(), fits);
}

}  // namespace

bool is_by_part(const Question& question) {
  return question.by == GroupBy::kPart && question.tree == TreeShape::kNone;
}

bool is_by_stack(const Question& question) {
  if (question.tree != TreeShape::kNone) return true;
  switch (question.by) {
    case GroupBy::kFunction:
    case GroupBy::kFile:
    case GroupBy::kLine:
    case GroupBy::kModule:
    case GroupBy::kOwner:
    case GroupBy::kPart:
      return true;
    default:
      return false;
  }
}

bool has_own_peaks(const Question& question) {
  const bool wanted = question.wanted.own_peaks || question.sort == Measure::kPeakBytes;
  const bool left_out = question.between && question.wanted.no_range_peaks;
  return is_by_stack(question) && !is_by_part(question) && wanted && !left_out;
}

CellKey key_of(const Question& question) {
  if (is_by_stack(question)) return CellKey::kAccount;
  switch (question.by) {
    case GroupBy::kThread:
      return CellKey::kThread;
    case GroupBy::kSize:
      return CellKey::kSize;
    case GroupBy::kSizeClass:
      return CellKey::kSizeClass;
    case GroupBy::kLifetimeClass:
      return CellKey::kLifetimeClass;
    case GroupBy::kLedger:
      return CellKey::kLedger;
    case GroupBy::kHeap:
      return CellKey::kHeap;
    case GroupBy::kNothing:
      return CellKey::kOne;
    default:
      return CellKey::kAccount;
  }
}

// --- counting ---

bool Ledgers::Parts::is_in_overview(const Question& question) const {
  using Kind = MomentSpec::Kind;
  return is_in_accounts(question) &&
         (question.at.kind == Kind::kPeak || question.at.kind == Kind::kRssPeak ||
          question.at.kind == Kind::kEnd || question.at.kind == Kind::kStart);
}

bool Ledgers::Parts::is_in_accounts(const Question& question) const {
  bool by_site = key_of(question) == CellKey::kAccount || question.by == GroupBy::kNothing;
  bool extras = wants_lifetimes(question) || question.wanted.sizes || question.wanted.threads;
  bool own_peaks =
      question.wanted.own_peaks && (is_by_stack(question) || question.filter.on_stacks());
  bool own_order = is_by_stack(question) && question.sort == Measure::kPeakBytes;
  return by_site && !question.between && !question.filter.on_blocks() && !extras && !own_peaks &&
         !own_order && !(question.ledger && set.size() > 1);
}

void Ledgers::Parts::take_from_overview(const Question& question, Counted& counted) const {
  using Kind = MomentSpec::Kind;
  const Accounts& accounts = view().book->accounts();
  const bool at_end = question.at.kind == Kind::kEnd ||
                      (question.at.kind == Kind::kPeak && view().overview.is_live());
  Tallied& out = counted.tallied;
  out.cells.grow_to(accounts.size());
  out.has_time = view().overview.totals.has_time;
  out.cells_have_peaks = true;
  out.cell_peaks.grow_to(accounts.size());
  for (uint32_t id = 0; id < accounts.size(); ++id) {
    if (accounts.is_merged(id)) continue;
    const Account& account = accounts.at(id);
    Cell& cell = out.cells[id];
    static_cast<Sums&>(cell) = account.sums();
    cell.smallest = account.smallest();
    cell.largest = account.largest();
    cell.time_ns = account.time_ns;
    cell.calls_variance = account.calls_variance;
    cell.bytes_variance = account.bytes_variance;
    if (at_end) {
      cell.live_blocks = account.end_blocks;
      cell.live_bytes = account.end_bytes;
      cell.live_variance = account.end_variance;
    } else if (question.at.kind == Kind::kPeak) {
      cell.live_blocks = accounts.blocks_at_peak(account);
      cell.live_bytes = accounts.bytes_at_peak(account);
      cell.live_variance = accounts.variance_at_peak(account);
    } else if (question.at.kind == Kind::kRssPeak) {
      cell.live_blocks = accounts.blocks_at_rss_peak(account);
      cell.live_bytes = accounts.bytes_at_rss_peak(account);
      cell.live_variance = accounts.variance_at_rss_peak(account);
    }
    out.cell_peaks[id] = {
        0, 0, account.peak_bytes, account.peak_blocks, account.peak, account.peak_variance, 0};
  }
  if (question.filter.on_stacks()) return;
  const Account& sum = accounts.sum();
  out.has_total_peak = true;
  out.total_peak = {0, 0, sum.peak_bytes, sum.peak_blocks, sum.peak, sum.peak_variance, 0};
}

void Ledgers::Parts::select_blocks(const Question& question, const Counted& counted, Plan& plan) {
  plan.size = question.filter.size;
  plan.lifetime_ns = question.filter.lifetime_ns;
  const Bounds& time = question.filter.time_ns;
  for (uint32_t i = 0; i < set.size() && !time.is_open(); ++i) {
    Bounds units;
    if (time.least > 0) units.least = set.units_at(i, time.least - 1) + 1;
    if (time.most < UINT64_MAX) units.most = set.units_at(i, time.most);
    plan.time_units.push_back(units);
  }
  for (uint32_t i = 0; i < set.size() && !question.filter.threads.empty(); ++i) {
    std::vector<char>& selected = plan.threads.emplace_back();
    for (const ThreadFacts& thread : threads_of(i, counted)) {
      selected.push_back(thread_fits(question.filter.threads, thread) ? 1 : 0);
    }
  }
  plan.ledger = question.ledger;
  plan.heaps = plan.added = is_read() ? view().heaps : HeapChoice{};
  if (question.by != GroupBy::kHeap || question.tree != TreeShape::kNone) return;
  plan.heaps = heaps_to_list(
      set.heaps(), question.filter.heaps.empty() ? own->looked_at : question.filter.heaps);
}

std::vector<uint32_t> largest_first(const Question& question, size_t count,
                                    const std::function<uint64_t(uint32_t)>& weight) {
  std::vector<uint32_t> order;
  if (question.tree == TreeShape::kNone || count * kDeepest < question.most_nodes) return order;
  order.resize(count);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&weight](uint32_t a, uint32_t b) { return weight(a) > weight(b); });
  return order;
}

Plan Ledgers::Parts::make_plan(const Question& question, Counted& counted) {
  Plan plan;
  plan.key = key_of(question);
  plan.between = question.between.has_value();
  plan.begin = plan.between ? resolve(question.between->first) : Watch{};
  plan.end = resolve(plan.between ? question.between->second : question.at);
  if (plan.begin.time_ns > plan.end.time_ns) {
    throw Error("'" + to_text(question.between->first) + "' is later than '" +
                    to_text(question.between->second) + "'; give the earlier moment first",
                ErrorKind::kQuestion);
  }
  select_blocks(question, counted, plan);
  plan.accounts = counted.selected;
  plan.max_cells = kMaxSizeGroups;
  plan.lifetimes = wants_lifetimes(question);
  plan.sizes = question.wanted.sizes;
  plan.thread_sets = question.wanted.threads;
  plan.extras = plan.lifetimes || plan.sizes || plan.thread_sets;
  plan.no_peaks = plan.between && question.wanted.no_range_peaks;
  plan.cell_peaks = !is_by_stack(question) && !plan.no_peaks;
  if (has_own_peaks(question)) {
    find_groups(question, counted);
    counted.members = list_members(counted.grouping);
    plan.group_offsets = &counted.members.offsets;
    plan.group_members = &counted.members.groups;
    plan.groups = static_cast<uint32_t>(counted.grouping.groups.size());
  }
  return plan;
}

void Ledgers::Parts::run(const Plan& plan, Counted& counted) {
  Tally tally(set, plan, set.catalog().accounts());
  scan(tally, plan.heaps, plan.between ? &plan.begin : nullptr, plan.end);
  counted.tallied = tally.take();
  if (plan.no_peaks) counted.tallied.has_total_peak = false;
  counted.sizes = tally.sizes();
  counted.threads = tally.threads();
}

void Ledgers::Parts::check(const Question& question, size_t ledgers) {
  if (question.ledger && *question.ledger >= ledgers) {
    throw Error("there is no ledger number " + std::to_string(*question.ledger),
                ErrorKind::kQuestion);
  }
  bool of_function =
      question.tree == TreeShape::kCallersOf || question.tree == TreeShape::kCalleesOf;
  if (of_function && question.function.empty()) {
    throw Error("callers or callees of which function? None was given", ErrorKind::kQuestion);
  }
  if (!question.path.empty() && question.tree == TreeShape::kNone) {
    throw Error("a path leads to a node of a tree, and there is none; say which tree",
                ErrorKind::kQuestion);
  }
  if (is_by_part(question) && (question.wanted.own_peaks || question.sort == Measure::kPeakBytes)) {
    throw Error("parts are found by what is asked about, so they have no peaks of their own",
                ErrorKind::kQuestion);
  }
}

Ledgers::Parts::Counted Ledgers::Parts::count(const Question& question,
                                              const std::vector<char>& left_out) {
  look(question.filter.heaps);
  check(question, set.size());
  Counted counted;
  counted.sites = &sites;
  counted.added = view().heaps;
  if (question.filter.on_stacks())
    counted.selected = select_stacks(question.filter, sites, names());
  if (!left_out.empty()) {
    counted.selected.resize(sites.size(), question.filter.on_stacks() ? 0 : 1);
    for (size_t i = 0; i < std::min(left_out.size(), sites.size()); ++i) {
      if (left_out[i] != 0) counted.selected[i] = 0;
    }
  }
  counted.by_account = key_of(question) == CellKey::kAccount || is_in_overview(question);
  if (is_in_overview(question)) {
    take_from_overview(question, counted);
    counted.end_ns = resolve(question.at).time_ns;
    return counted;
  }
  if (count_in_index(question, counted) || count_at(question, counted)) return counted;
  Plan plan = make_plan(question, counted);
  run(plan, counted);
  counted.begin_ns = plan.begin.time_ns;
  counted.end_ns = plan.end.time_ns;
  return counted;
}

// --- answering ---

const CallTree& Ledgers::Parts::calls() {
  if (call_tree == nullptr || call_tree->size() != set.catalog().size()) {
    call_tree = std::make_unique<CallTree>(set.catalog());
  }
  return *call_tree;
}

void Ledgers::Parts::find_groups(const Question& question, Counted& counted) {
  const std::vector<uint32_t>& of = *counted.sites;
  const Paged<Cell>& cells = counted.tallied.cells;
  if (question.tree == TreeShape::kNone || has_own_peaks(question) || !adds_up(question.sort)) {
    auto bytes = [this](uint32_t account) {
      const Accounts& accounts = view().book->accounts();
      return account < accounts.size() ? accounts.at(account).bytes : 0;
    };
    counted.grouping =
        group_stacks(question, of, names(), calls(), largest_first(question, of.size(), bytes));
    return;
  }
  auto value = [&](uint32_t account) -> std::optional<uint64_t> {
    const bool counts = counted.selected.empty() || counted.selected[account] != 0;
    if (account >= cells.size() || !counts || cells[account].empty()) return std::nullopt;
    return value_of(cells[account], question.sort);
  };
  counted.grouping = grow_tree(question, of, names(), calls(), value);
}

// Which parts there are depends on what was counted.
void Ledgers::Parts::find_parts(const Question& question, Counted& counted) {
  const Paged<Cell>& cells = counted.tallied.cells;
  const Fold fold(set, question, counted.tallied);
  auto weight = [&](uint32_t account) -> uint64_t {
    const bool counts =
        account < cells.size() && (counted.selected.empty() || counted.selected[account] != 0);
    return counts ? fold.sort_value(account) : 0;
  };
  const size_t most = question.top == SIZE_MAX ? kUsualParts : question.top;
  counted.grouping = group_parts(most, *counted.sites, names(), weight);
}

Answer Ledgers::Parts::answer(const Question& question, Counted& counted) {
  if (is_by_part(question)) {
    find_parts(question, counted);
  } else if (is_by_stack(question) && counted.grouping.groups.empty()) {
    find_groups(question, counted);
  }
  Answer answer;
  answer.only_live = question.only_live;
  answer.from_index = counted.from_index;
  answer.end_ns = counted.end_ns;
  answer.begin_ns = question.between ? counted.begin_ns : counted.end_ns;
  Fold fold(set, question, counted.tallied);
  bool by_account = counted.by_account && counted.tallied.cells.size() > 0;
  const std::vector<char> all;
  const std::vector<char>& selected = by_account ? counted.selected : all;
  std::vector<char> added;
  if (key_of(question) == CellKey::kHeap) {
    for (uint32_t i = 0; i < set.heaps().size(); ++i) added.push_back(counted.added.has(i) ? 1 : 0);
  }
  fold.totals(answer, added.empty() ? selected : added);
  answer.heaps = names_of(set.heaps(), counted.added);
  if (is_by_stack(question)) {
    if (question.tree != TreeShape::kNone) {
      fold.groups_as_tree(answer, counted.grouping, selected, names());
    } else {
      fold.groups_as_rows(answer, counted.grouping, selected, names());
    }
    if (question.by == GroupBy::kOwner || is_by_part(question)) {
      for (Row& row : answer.rows) row.site = (*counted.sites)[row.site];
    }
    return answer;
  }
  auto describe = [&](uint32_t cell, Row& row) {
    switch (question.by) {
      case GroupBy::kSite: {
        row.site = cell < counted.sites->size() ? (*counted.sites)[cell] : SiteCatalog::kRoot;
        std::vector<uint32_t> stack;
        names().stack(row.site, stack);
        row.name = "[no stack]";
        if (stack.empty()) break;
        NamedFrame frame = names().named(stack[names().first_interesting(stack)]);
        row.name = frame.name;
        row.function = frame.function;
        row.file = frame.file;
        row.line = frame.line;
        row.module = frame.module;
        break;
      }
      case GroupBy::kThread: {
        auto [ledger, place] = counted.threads[cell];
        const std::vector<ThreadFacts>& threads = threads_of(ledger, counted);
        row.ledger = ledger;
        if (place < threads.size()) {
          row.key = threads[place].tid;
          row.name = threads[place].name;
        }
        if (row.name.empty()) row.name = "thread " + std::to_string(row.key);
        break;
      }
      case GroupBy::kSize:
        row.key = cell < counted.sizes.size() ? counted.sizes[cell] : kOtherSizes;
        row.name = row.key == kOtherSizes ? "other sizes" : std::to_string(row.key);
        break;
      case GroupBy::kSizeClass:
        row.key = bounds_of_size_class(cell).from;
        row.name = class_text(question.by, row.key);
        break;
      case GroupBy::kLifetimeClass:
        row.key = cell == kLifetimeClassCount ? kNeverFreed : bounds_of_lifetime_class(cell).from;
        row.name = class_text(question.by, row.key);
        break;
      case GroupBy::kLedger:
        row.ledger = cell;
        row.key = facts_of(cell).pid;
        row.name = facts_of(cell).path;
        break;
      case GroupBy::kHeap:
        row.heap = cell;
        row.name = set.heaps().at(cell).name;
        break;
      default:
        row.name = "all";
    }
  };
  if (question.by != GroupBy::kNothing) {
    if (by_account && !selected.empty()) {
      for (uint32_t i = 0; i < counted.tallied.cells.size(); ++i) {
        if (i >= selected.size() || selected[i] == 0) counted.tallied.cells[i] = Cell{};
      }
    }
    fold.cells_as_rows(answer, describe);
  }
  if (is_by_class(question.by)) {
    std::sort(answer.rows.begin(), answer.rows.end(),
              [](const Row& a, const Row& b) { return a.key < b.key; });
  }
  return answer;
}

Answer Ledgers::ask(const Question& question) {
  Turn turn(*this);
  if (question.only_live) return parts_->ask_live(question);
  Parts::Counted counted = parts_->count(question);
  return parts_->answer(question, counted);
}

GroupBy parse_group_by(std::string_view text) {
  std::string all;
  for (int i = static_cast<int>(GroupBy::kSite); i <= static_cast<int>(GroupBy::kHeap); ++i) {
    auto by = static_cast<GroupBy>(i);
    if (name_of(by) == text) return by;
    all += (all.empty() ? "" : ", ") + std::string(name_of(by));
  }
  throw Error("unknown group '" + std::string(text) + "'; there are " + all, ErrorKind::kQuestion);
}

std::string_view name_of(GroupBy by) {
  static constexpr std::array<std::string_view, 14> kNames = {
      "nothing", "site",   "function", "file",       "line",     "module",  "owner",
      "part",    "thread", "size",     "size-class", "lifetime", "process", "heap"};
  return kNames[static_cast<size_t>(by)];
}

}  // namespace heapledger
