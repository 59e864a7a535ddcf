#include "exporters/accounts.h"

namespace heapledger {

UnfreedBySite::UnfreedBySite(const ExportRequest& request, const Suppressions& suppressions)
    : known_(!request.question.between) {
  if (!known_) return;
  Question question = request.question;
  question.by = GroupBy::kSite;
  question.tree = TreeShape::kNone;
  const Answer answer = request.ledgers.never_freed(suppressions, question).answer;
  total_ = {answer.totals.live_bytes, answer.totals.live_blocks};
  for (const Row& row : answer.rows) {
    if (row.all.live_blocks == 0) continue;
    sites_[row.site] = {row.all.live_bytes, row.all.live_blocks};
  }
}

const Unfreed* UnfreedBySite::of(uint32_t site) const {
  static constexpr Unfreed kNothing;
  if (!known_) return nullptr;
  auto found = sites_.find(site);
  return found == sites_.end() ? &kNothing : &found->second;
}

}  // namespace heapledger
