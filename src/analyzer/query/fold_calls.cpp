#include "analyzer/query/fold_calls.h"

namespace heapledger {
namespace {

constexpr uint32_t kNoAccountHere = UINT32_MAX;

class CallFold {
 public:
  CallFold(const Grouping& grouping, const Paged<Cell>& cells, std::vector<FoldedGroup>& folded)
      : walk_(grouping.walk),
        cells_(cells),
        folded_(folded),
        leads_somewhere_(walk_.calls->size()),
        first_account_(walk_.calls->size(), kNoAccountHere),
        next_account_(walk_.sites->size(), kNoAccountHere),
        is_open_(folded.size()) {}

  void add(uint32_t account) {
    const uint32_t site = (*walk_.sites)[account];
    next_account_[account] = first_account_[site];
    first_account_[site] = account;
    const SiteCatalog& catalog = walk_.names->catalog();
    for (uint32_t at = site; leads_somewhere_[at] == 0; at = catalog.parent_of(at)) {
      leads_somewhere_[at] = 1;
    }
  }

  void run() {
    enter(SiteCatalog::kRoot);
    while (!open_.empty()) {
      Open& open = open_.back();
      const std::span<const uint32_t> inside = walk_.calls->inside(open.site);
      while (open.next < inside.size() && leads_somewhere_[inside[open.next]] == 0) ++open.next;
      if (open.next < inside.size()) {
        enter(inside[open.next++]);
      } else {
        leave();
      }
    }
  }

 private:
  struct Open {
    uint32_t site;
    uint32_t next;    // of those inside
    size_t first_of;  // its groups begin there
    Cell cell;        // of all inside that is done
  };

  void enter(uint32_t site) {
    Open& open = open_.emplace_back(Open{site, 0, groups_.size(), {}});
    const StackNames::Range frames = walk_.names->frames_at(site);
    for (uint32_t i = 0; i < frames.count; ++i) {
      const uint32_t group = walk_.group_of_frame[frames.first + i];
      if (is_open_[group] != 0) continue;  // recursion: it has all of this further out
      is_open_[group] = 1;
      groups_.push_back(group);
    }
    if (frames.count == 0) return;  // such accounts have a group of their own
    for (uint32_t at = first_account_[site]; at != kNoAccountHere; at = next_account_[at]) {
      open.cell.add(cells_[at]);
    }
  }

  void leave() {
    const Open& done = open_.back();
    for (size_t i = done.first_of; i < groups_.size(); ++i) {
      folded_[groups_[i]].all.add(done.cell);
      is_open_[groups_[i]] = 0;
    }
    groups_.resize(done.first_of);
    if (open_.size() > 1) open_[open_.size() - 2].cell.add(done.cell);
    open_.pop_back();
  }

  const Grouping::Walk& walk_;
  const Paged<Cell>& cells_;
  std::vector<FoldedGroup>& folded_;
  std::vector<char> leads_somewhere_;    // by site
  std::vector<uint32_t> first_account_;  // by site: in a list …
  std::vector<uint32_t> next_account_;   // … by account
  std::vector<char> is_open_;            // by group: it is on the way to here
  std::vector<uint32_t> groups_;         // these, as they were met
  std::vector<Open> open_;
};

}  // namespace

void fold_calls(const Grouping& grouping, const Paged<Cell>& cells, const std::vector<char>& counts,
                std::vector<FoldedGroup>& folded) {
  CallFold fold(grouping, cells, folded);
  for (uint32_t account = 0; account < counts.size(); ++account) {
    if (counts[account] == 0) continue;
    if (grouping.walk.names->frames_at((*grouping.walk.sites)[account]).count > 0) {
      fold.add(account);
    } else {
      folded[grouping.self[account]].all.add(cells[account]);
    }
  }
  fold.run();
}

}  // namespace heapledger
