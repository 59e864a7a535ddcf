#include "analyzer/query/stack_answer.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "analyzer/error.h"
#include "analyzer/query/fold.h"
#include "analyzer/query/heap_view.h"
#include "analyzer/query/parts.h"
#include "analyzer/query/tree_growth.h"

namespace heapledger {
namespace {

// Frames that few stacks have.
constexpr size_t kDeepest = 32;

// The numbers below `count`, those with the largest weight first; empty when the order makes no
// difference, because no tree of so few stacks is cut.
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

// Which parts there are depends on what was counted.
Grouping find_parts(const Question& question, const StackWorld& world,
                    const std::vector<char>& selected, const Tallied& tallied) {
  const Paged<Cell>& cells = tallied.cells;
  const Fold fold(world.set, question, tallied);
  auto weight = [&](uint32_t account) -> uint64_t {
    const bool counts = account < cells.size() && (selected.empty() || selected[account] != 0);
    return counts ? fold.sort_value(account) : 0;
  };
  const size_t most = question.top == SIZE_MAX ? kUsualParts : question.top;
  return group_parts(most, world.sites, world.names, weight);
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
  const bool left_out = question.wanted.no_range_peaks && leaves_peaks_out(question);
  return is_by_stack(question) && !is_by_part(question) && wanted && !left_out;
}

void check(const Question& question, size_t ledgers) {
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

Grouping find_groups(const Question& question, const StackWorld& world,
                     const std::vector<char>& selected, const Tallied& tallied) {
  if (is_by_part(question)) return find_parts(question, world, selected, tallied);
  const std::vector<uint32_t>& of = world.sites;
  const Paged<Cell>& cells = tallied.cells;
  if (question.tree == TreeShape::kNone || has_own_peaks(question) || !adds_up(question.sort)) {
    auto bytes = [accounts = world.accounts](uint32_t account) -> uint64_t {
      return accounts != nullptr && account < accounts->size() ? accounts->at(account).bytes : 0;
    };
    return group_stacks(question, of, world.names, world.calls,
                        largest_first(question, of.size(), bytes), world.order);
  }
  auto value = [&](uint32_t account) -> std::optional<uint64_t> {
    const bool counts = selected.empty() || selected[account] != 0;
    if (account >= cells.size() || !counts || cells[account].empty()) return std::nullopt;
    return value_of(cells[account], question.sort);
  };
  return grow_tree(question, of, world.names, world.calls, value);
}

void answer_by_stack(const Question& question, const StackWorld& world, const Grouping& grouping,
                     const std::vector<char>& selected, const Tallied& tallied, Answer& answer) {
  Fold fold(world.set, question, tallied);
  if (question.tree != TreeShape::kNone) {
    fold.groups_as_tree(answer, grouping, selected, world.names);
    return;
  }
  fold.groups_as_rows(answer, grouping, selected, world.names);
  if (question.by != GroupBy::kOwner && !is_by_part(question)) return;
  for (Row& row : answer.rows) row.site = world.sites[row.site];
}

void describe_site(uint32_t site, StackNames& names, Row& row) {
  row.site = site;
  std::vector<uint32_t> stack;
  names.stack(site, stack);
  row.name = "[no stack]";
  if (stack.empty()) return;
  NamedFrame frame = names.named(stack[names.first_interesting(stack)]);
  row.name = frame.name;
  row.function = frame.function;
  row.file = frame.file;
  row.line = frame.line;
  row.module = frame.module;
}

}  // namespace heapledger
