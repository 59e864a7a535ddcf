// Ledgers: what is never freed, less what is suppressed.
#include "analyzer/query.h"
#include "analyzer/query/fold.h"
#include "analyzer/query/ledgers_parts.h"

namespace heapledger {

NeverFreed Ledgers::never_freed(const Suppressions& suppressions, const Question& asked) {
  Question question = asked;
  question.at = {MomentSpec::Kind::kEnd, 0, 0, {}};
  question.between.reset();
  // Whose stacks tell what is suppressed; of other groups, once that is known.
  const Question other = question;
  const bool by_account = key_of(question) == CellKey::kAccount;
  if (!by_account) question.by = GroupBy::kSite;
  Turn turn(*this);
  Parts::Counted counted = parts_->count(question);
  StackNames& names = parts_->names();

  const std::vector<Suppression>& all = suppressions.all();
  constexpr size_t kUnknown = SIZE_MAX;
  std::vector<size_t> of_frame;  // the first suppression that fits a frame; all.size(): none
  auto find = [&](uint32_t number) {
    if (number >= of_frame.size()) of_frame.resize(number + 1, kUnknown);
    if (of_frame[number] != kUnknown) return of_frame[number];
    NamedFrame frame = names.named(number);
    size_t i = 0;
    while (i < all.size() && (!all[i].caller.empty() || !suppresses(all[i].pattern, frame))) ++i;
    return of_frame[number] = i;
  };
  // Those that ask for the caller too look at the innermost two frames.
  auto find_pair = [&](const std::vector<uint32_t>& stack) {
    size_t i = 0;
    for (; i < all.size() && stack.size() > 1; ++i) {
      if (!all[i].caller.empty() && suppresses(all[i].pattern, names.named(stack[0])) &&
          suppresses(all[i].caller, names.named(stack[1]))) {
        return i;
      }
    }
    return all.size();
  };

  NeverFreed result;
  std::vector<char> left_out(by_account ? 0 : parts_->sites.size());
  std::vector<SuppressionUse> uses(all.size());
  Cell suppressed;
  std::vector<uint32_t> stack;
  Paged<Cell>& cells = counted.tallied.cells;
  for (uint32_t account = 0; account < cells.size(); ++account) {
    Cell& cell = cells[account];
    if (!counted.selected.empty() && counted.selected[account] == 0) continue;
    if (cell.live_blocks == 0) {
      cell = Cell{};
      continue;
    }
    names.stack(account < parts_->sites.size() ? parts_->sites[account] : 0, stack);
    size_t hit = find_pair(stack);
    for (size_t i = 0; i < stack.size() && hit == all.size(); ++i) hit = find(stack[i]);
    if (hit == all.size()) continue;
    uses[hit].blocks += cell.live_blocks;
    uses[hit].bytes += cell.live_bytes;
    ++uses[hit].sites;
    suppressed.add(cell);
    cell = Cell{};
    if (account < left_out.size()) left_out[account] = 1;
  }
  for (size_t i = 0; i < all.size(); ++i) {
    uses[i].pattern = all[i].pattern;
    uses[i].built_in = all[i].built_in;
    if (uses[i].sites > 0) result.uses.push_back(uses[i]);
  }
  result.suppressed =
      Fold(parts_->set, question, counted.tallied).figures(suppressed, nullptr, nullptr);
  const bool by_process =
      other.only_live && other.by == GroupBy::kLedger && other.filter == Filter{};
  if (!by_account && !(by_process && parts_->count_left(left_out, counted))) {
    counted = parts_->count(other, left_out);
  }
  result.answer = parts_->answer(other, counted);
  return result;
}

}  // namespace heapledger
