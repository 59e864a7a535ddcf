// Ledgers: what is never freed, less what is suppressed.
#include <algorithm>

#include "analyzer/query.h"
#include "analyzer/query/fold.h"
#include "analyzer/query/ledgers_parts.h"

namespace heapledger {
namespace {

// Which suppression fits a stack: of many stacks, each frame is looked at once.
class Suppressor {
 public:
  Suppressor(const std::vector<Suppression>& all, StackNames& names)
      : all_(all), names_(names), catalog_(names.catalog()), of_site_(catalog_.size(), kUnknown) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (!all[i].caller.empty()) pairs_.push_back(i);
    }
  }

  // The number of all of them: none does.
  size_t find(uint32_t site) {
    const size_t pair = find_pair(site);
    return pair != all_.size() ? pair : find_outwards(site);
  }

 private:
  static constexpr size_t kUnknown = SIZE_MAX;

  // Those that ask for the caller too look at the innermost two frames.
  size_t find_pair(uint32_t site) {
    uint32_t frames[2];
    size_t count = 0;
    for (; catalog_.has_frame(site) && count < 2; site = catalog_.parent_of(site)) {
      const StackNames::Range range = names_.frames_at(site);
      for (uint32_t i = 0; i < range.count && count < 2; ++i) frames[count++] = range.first + i;
    }
    if (count < 2 || !may_begin_pair(frames[0])) return all_.size();
    for (size_t i : pairs_) {
      if (suppresses(all_[i].pattern, names_.named(frames[0])) &&
          suppresses(all_[i].caller, names_.named(frames[1]))) {
        return i;
      }
    }
    return all_.size();
  }

  bool may_begin_pair(uint32_t frame) {
    if (frame >= begins_pair_.size()) begins_pair_.resize(frame + 1, kNotLooked);
    if (begins_pair_[frame] == kNotLooked) {
      const NamedFrame named = names_.named(frame);
      const bool fits = std::any_of(pairs_.begin(), pairs_.end(),
                                    [&](size_t i) { return suppresses(all_[i].pattern, named); });
      begins_pair_[frame] = fits ? 1 : 0;
    }
    return begins_pair_[frame] != 0;
  }

  // Of a stack, what fits its innermost frame that any fits.
  size_t find_outwards(uint32_t site) {
    way_.clear();
    for (; catalog_.has_frame(site) && of_site_[site] == kUnknown;
         site = catalog_.parent_of(site)) {
      way_.push_back(site);
    }
    size_t found = catalog_.has_frame(site) ? of_site_[site] : all_.size();
    for (; !way_.empty(); way_.pop_back()) {
      const StackNames::Range range = names_.frames_at(way_.back());
      for (uint32_t i = range.count; i-- > 0;) {
        const size_t own = of_frame(range.first + i);
        if (own != all_.size()) found = own;
      }
      of_site_[way_.back()] = found;
    }
    return found;
  }

  size_t of_frame(uint32_t frame) {
    if (frame >= of_frame_.size()) of_frame_.resize(frame + 1, kUnknown);
    if (of_frame_[frame] == kUnknown) {
      const NamedFrame named = names_.named(frame);
      size_t i = 0;
      while (i < all_.size() && (!all_[i].caller.empty() || !suppresses(all_[i].pattern, named))) {
        ++i;
      }
      of_frame_[frame] = i;
    }
    return of_frame_[frame];
  }

  static constexpr char kNotLooked = 2;

  const std::vector<Suppression>& all_;
  StackNames& names_;
  const SiteCatalog& catalog_;
  std::vector<size_t> pairs_;      // those with a caller
  std::vector<char> begins_pair_;  // by frame: one of these may fit
  std::vector<size_t> of_frame_;   // by frame: the first of the others that fits
  std::vector<size_t> of_site_;    // by site: the same of its frame and those outside it
  std::vector<uint32_t> way_;
};

}  // namespace

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
  Suppressor suppressor(all, names);
  NeverFreed result;
  std::vector<char> left_out(by_account ? 0 : parts_->sites.size());
  std::vector<SuppressionUse> uses(all.size());
  Cell suppressed;
  Paged<Cell>& cells = counted.tallied.cells;
  for (uint32_t account = 0; account < cells.size(); ++account) {
    Cell& cell = cells[account];
    if (!counted.selected.empty() && counted.selected[account] == 0) continue;
    if (cell.live_blocks == 0) {
      cell = Cell{};
      continue;
    }
    const size_t hit = suppressor.find(account < parts_->sites.size() ? parts_->sites[account] : 0);
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
