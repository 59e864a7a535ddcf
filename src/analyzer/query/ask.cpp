// Ledgers: questions.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "analyzer/error.h"
#include "analyzer/query.h"
#include "analyzer/query/cell_rows.h"
#include "analyzer/query/classes.h"
#include "analyzer/query/fold.h"
#include "analyzer/query/ledgers_parts.h"
#include "analyzer/query/moment_books.h"
#include "analyzer/query/processes.h"

namespace heapledger {
// --- counting ---

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
  auto facts = [this](uint32_t i) -> const LedgerFacts& { return facts_of(i); };
  plan.ledgers = chosen_processes(question, set.size(), facts);
  if (plan.key == CellKey::kLedger) {
    plan.cell_of_ledger = group_processes(question.by, set.size(), facts).of_ledger;
  }
  plan.heaps = plan.added = is_read() ? view().heaps : HeapChoice{};
  if (question.by != GroupBy::kHeap || question.tree != TreeShape::kNone) return;
  plan.heaps = heaps_to_list(
      set.heaps(), question.filter.heaps.empty() ? own->looked_at : question.filter.heaps);
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
  plan.no_peaks = question.wanted.no_range_peaks && leaves_peaks_out(question);
  plan.cell_peaks = !is_by_stack(question) && !plan.no_peaks;
  if (has_own_peaks(question)) {
    counted.grouping = std::make_shared<const Grouping>(
        find_groups(question, stack_world(counted), counted.selected, counted.tallied));
    counted.members = list_members(*counted.grouping);
    plan.group_offsets = &counted.members.offsets;
    plan.group_members = &counted.members.groups;
    plan.groups = static_cast<uint32_t>(counted.grouping->groups.size());
  }
  return plan;
}

void Ledgers::Parts::run(const Plan& plan, Counted& counted) {
  Tally tally(set, plan, set.catalog().accounts());
  scan(tally, plan.heaps, plan.between ? &plan.begin : nullptr, plan.end);
  finish(plan, tally, counted);
}

// What is the same whoever makes the pass.
void Ledgers::Parts::finish(const Plan& plan, Tally& tally, Counted& counted) {
  counted.tallied = tally.take();
  if (plan.no_peaks) counted.tallied.has_total_peak = false;
  counted.sizes = tally.sizes();
  counted.threads = tally.threads();
  if (plan.key == CellKey::kThread) sort_threads(counted.threads, counted.tallied);
  counted.begin_ns = plan.begin.time_ns;
  counted.end_ns = plan.end.time_ns;
}

// A report asks about the same moment again and again, in one order after another.
bool Ledgers::Parts::can_keep_tally(const Question& question) const {
  return is_by_stack(question) && is_in_overview(question, set.size());
}

Tallied Ledgers::Parts::take_tally(const Question& question) {
  std::optional<KeptTally> kept = std::exchange(kept_tally, std::nullopt);
  if (kept && can_keep_tally(question) && kept->view == own->view &&
      kept->moment == question.at.kind && kept->on_stacks == question.filter.on_stacks()) {
    return std::move(kept->tallied);
  }
  kept.reset();  // its memory is used again
  return tally_accounts(question, view());
}

void Ledgers::Parts::keep_tally(const Question& question, Counted& counted) {
  if (!can_keep_tally(question)) return;
  kept_tally = {own->view, question.at.kind, question.filter.on_stacks(),
                std::move(counted.tallied)};
}

bool Ledgers::Parts::count_without_pass(const Question& question, const std::vector<char>& left_out,
                                        Counted& counted) {
  look(question.filter.heaps);
  check(question, set.size());
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
  counted.by_account =
      key_of(question) == CellKey::kAccount || is_in_overview(question, set.size());
  if (is_in_overview(question, set.size())) {
    counted.tallied = take_tally(question);
    counted.end_ns = resolve(question.at).time_ns;
    return true;
  }
  kept_tally.reset();
  if (can_be_in_index(question)) look_for_kept_index();
  const bool some_left_out = !left_out.empty();
  return count_in_index(question, some_left_out, counted) ||
         count_at(question, some_left_out, counted);
}

Ledgers::Parts::Counted Ledgers::Parts::count(const Question& question,
                                              const std::vector<char>& left_out) {
  Counted counted;
  if (count_without_pass(question, left_out, counted)) return counted;
  Plan plan = make_plan(question, counted);
  run(plan, counted);
  return counted;
}

// --- answering ---

StackWorld Ledgers::Parts::stack_world(const Counted& counted) {
  return {set, *counted.sites, names(), calls(),
          own->view != nullptr ? &own->view->accounts : nullptr};
}

// Who owns a stack does not depend on what was counted.
std::shared_ptr<const Grouping> Ledgers::Parts::groups_of(const Question& question,
                                                          const Counted& counted) {
  const bool can_keep = question.by == GroupBy::kOwner && question.tree == TreeShape::kNone &&
                        question.below.empty() && counted.sites == &sites &&
                        &names() == named.names.get();
  if (can_keep && kept_owners && kept_owners->skip_wrappers == question.skip_wrappers &&
      kept_owners->groups->self.size() == sites.size()) {
    return kept_owners->groups;
  }
  auto groups = std::make_shared<const Grouping>(
      find_groups(question, stack_world(counted), counted.selected, counted.tallied));
  if (can_keep) kept_owners = {question.skip_wrappers, groups};
  return groups;
}

const CallTree& Ledgers::Parts::calls() {
  if (call_tree == nullptr || call_tree->size() != set.catalog().size()) {
    call_tree = std::make_unique<CallTree>(set.catalog());
  }
  return *call_tree;
}

Answer Ledgers::Parts::answer(const Question& question, Counted& counted) {
  if (is_by_stack(question) && counted.grouping == nullptr) {
    counted.grouping = groups_of(question, counted);
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
    answer_by_stack(question, stack_world(counted), *counted.grouping, selected, counted.tallied,
                    answer);
    return answer;
  }
  ProcessGroups processes;
  if (key_of(question) == CellKey::kLedger) {
    processes = group_processes(question.by, set.size(),
                                [this](uint32_t i) -> const LedgerFacts& { return facts_of(i); });
  }
  auto describe = [&](uint32_t cell, Row& row) {
    switch (question.by) {
      case GroupBy::kSite:
        describe_site(cell < counted.sites->size() ? (*counted.sites)[cell] : SiteCatalog::kRoot,
                      names(), row);
        break;
      case GroupBy::kThread:
        describe_thread(counted.threads[cell], threads_of(counted.threads[cell].first, counted),
                        row);
        break;
      case GroupBy::kSize:
        row.key = cell < counted.sizes.size() ? counted.sizes[cell] : kOtherSizes;
        row.name = row.key == kOtherSizes ? "other sizes" : std::to_string(row.key);
        break;
      case GroupBy::kSizeClass:
      case GroupBy::kLifetimeClass:
        describe_class(question.by, cell, row);
        break;
      case GroupBy::kLedger:
        describe_process(cell, facts_of(cell), row);
        break;
      case GroupBy::kRank:
      case GroupBy::kHost:
      case GroupBy::kJob:
        describe_process_group(question.by, facts_of(processes.first[cell]), row);
        row.ledger = processes.first[cell];
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
  if (is_by_class(question.by)) sort_classes(answer);
  return answer;
}

Answer Ledgers::ask(const Question& question) {
  const auto reader = parts_->instant_reader();
  if (reader != nullptr && own_->looked_at.empty()) {
    if (std::optional<Answer> known = reader->ask(question)) return *std::move(known);
  }
  Turn turn(*this);
  if (question.only_live) return parts_->ask_live(question);
  Parts::Counted counted = parts_->count(question);
  Answer answer = parts_->answer(question, counted);
  parts_->keep_tally(question, counted);
  return answer;
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
  static constexpr std::array<std::string_view, 17> kNames = {
      "nothing", "site",       "function", "file",    "line", "module", "owner", "part", "thread",
      "size",    "size-class", "lifetime", "process", "rank", "host",   "job",   "heap"};
  return kNames[static_cast<size_t>(by)];
}

}  // namespace heapledger
