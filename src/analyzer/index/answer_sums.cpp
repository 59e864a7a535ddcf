// IndexReader: answers by stack from sums of stretches, of which only what is live is counted anew.
#include <utility>

#include "analyzer/index/index_reader.h"
#include "analyzer/query/fold.h"
#include "analyzer/query/tree_growth.h"

namespace heapledger {

IndexReader::KnownSums::KnownSums(const SiteCatalog& catalog, const ClosedAccounts& accounts,
                                  const std::vector<uint32_t>& sites)
    : order(std::make_shared<const AccountOrder>(catalog, sites)), whole(accounts, *order) {}

const IndexReader::KnownSums& IndexReader::sums() const {
  std::call_once(sums_once_, [this] {
    sums_ = std::make_unique<const KnownSums>(set_.catalog(), view_->accounts, sites_);
  });
  return *sums_;
}

// Room for what is live, that of an earlier question if there is any: the kernel takes longer to
// give pages than it takes to fill them.
struct IndexReader::LiveRoom {
  explicit LiveRoom(const IndexReader& of) : reader(of) {
    std::lock_guard lock(reader.rooms_mutex_);
    if (reader.rooms_.empty()) return;
    live = std::move(reader.rooms_.back());
    reader.rooms_.pop_back();
  }
  ~LiveRoom() {
    std::lock_guard lock(reader.rooms_mutex_);
    if (reader.rooms_.size() < kMostRooms) reader.rooms_.push_back(std::move(live));
  }
  LiveRoom(const LiveRoom&) = delete;
  LiveRoom& operator=(const LiveRoom&) = delete;

  static constexpr size_t kMostRooms = 2;
  const IndexReader& reader;
  std::vector<StretchSums::Live> live;
};

// Of the accounts alone, at a moment.
bool IndexReader::is_in_sums(const Question& question) const {
  if (!is_by_stack(question) || is_by_part(question) || question.between) return false;
  if (row_of(question.sort).sum == nullptr || !cube_->spreads.empty()) return false;
  const bool known = question.tree == TreeShape::kNone ? has_fixed_groups(question)
                                                       : question.tree == TreeShape::kTopDown;
  return known && !view_->overview.totals.has_time && sums().whole.are_all();
}

// `edge`: nothing where the accounts tell what is live.
Answer IndexReader::answer_from_sums(const Question& question, std::optional<uint32_t> edge) const {
  const KnownSums& known = sums();
  const AccountOrder& order = *known.order;
  LiveRoom room(*this);
  std::vector<StretchSums::Live>& live = room.live;
  live.assign(order.accounts().size() + 1, {});
  if (edge) {
    cube_->for_each_live(0, *edge, [&](const Stay& stay) {
      StretchSums::Live& at = live[order.places()[stay.account]];
      at.blocks += stay.blocks;
      at.bytes += stay.bytes;
    });
  } else {
    const ClosedAccounts& accounts = view_->accounts;
    for (uint32_t id = 0; id < accounts.size() && id < sites_.size(); ++id) {
      if (accounts.is_merged(id)) continue;
      const AccountLive has = live_of(question, *view_, id);
      live[order.places()[id]] = {has.bytes, has.blocks};
    }
  }
  const std::shared_ptr<const std::vector<char>> selected = select(question);
  const StretchSums sums(known.whole, order, *selected, live, question.sort);

  Tallied tallied;
  tally_peak(question, *view_, tallied);
  Answer answer;
  answer.heaps = names_of(set_.heaps(), view_->heaps);
  Fold fold(set_, question, tallied);
  fold.totals(answer, sums.of(order.inside(SiteCatalog::kRoot)));
  if (question.tree != TreeShape::kNone) {
    fold.groups_as_tree(answer, grow_summed_tree(question, names(), calls(), order, sums), names());
    return answer;
  }
  fold.groups_as_rows(answer, *ordered_groups(question), sums, names());
  if (question.by != GroupBy::kOwner) return answer;
  for (Row& row : answer.rows) row.site = sites_[row.site];
  return answer;
}

}  // namespace heapledger
