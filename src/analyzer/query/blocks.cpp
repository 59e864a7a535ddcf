#include "analyzer/query/blocks.h"

#include <algorithm>

#include "analyzer/error.h"
#include "analyzer/query.h"
#include "analyzer/query/ledgers_parts.h"
#include "analyzer/query/tally.h"

namespace heapledger {
namespace {

class BlocksBook final : public AccountNumbers {
 public:
  BlocksBook(const LedgerSet& set, const Plan& plan, uint32_t accounts, size_t top)
      : set_(set), plan_(plan), accounts_(accounts), top_(top) {
    using What = Watch::What;
    bool met_later = plan.begin.what == What::kEnd || plan.begin.what == What::kTime;
    in_range_ = !plan.between || (!met_later && plan.begin.number == 0);
    // A moment before the first birth, sample or marker is the start, when nothing is live.
  }

  std::vector<LiveHeaps*>& tables() { return tables_; }
  void reach_begin() { in_range_ = true; }
  void reach_end() {
    for (uint32_t i = 0; i < tables_.size(); ++i) {
      if (tables_[i] == nullptr) continue;
      tables_[i]->for_each([&](const LiveBlock& block) { consider(i, block, plan_.end.time_ns); });
    }
  }
  BlockList take(const std::vector<uint32_t>& sites);

  uint32_t add(uint32_t) override { return accounts_++; }
  void merge(uint32_t from, uint32_t to, Moment) override { merged_[from] = to; }

  bool wants_prefetch() const { return false; }
  void prefetch(uint32_t) const {}
  void born(uint32_t, LiveBlock& block, const Weight&) {
    if (in_range_) block.thread |= kInRange;
    meet(Watch::What::kBirth, ++births_);
  }
  void died(uint32_t, const LiveBlock&, const Death&, const Weight&) {}
  void lost(uint32_t, const LiveBlock&, uint64_t, const Weight&) {}
  void spent(uint32_t, const LiveBlock&, uint64_t) {}
  void left(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight&) {
    if (plan_.end.what == Watch::What::kEnd) {
      consider(ledger, block, set_.since_start({time, ledger}));
    }
  }
  void resized(uint32_t, const Resize&) {}
  void sampled(uint32_t, const MemorySample&) { meet(Watch::What::kSample, ++samples_); }
  void marked(uint32_t, uint64_t, std::string_view) { meet(Watch::What::kMarker, ++markers_); }
  void ended(uint32_t, uint64_t) {}

 private:
  static constexpr uint32_t kInRange = kFirstBookFlag;

  static bool larger(const BlockFacts& a, const BlockFacts& b) {
    if (a.size != b.size) return a.size > b.size;
    if (a.birth_ns != b.birth_ns) return a.birth_ns < b.birth_ns;
    return a.ledger != b.ledger ? a.ledger < b.ledger : a.address < b.address;
  }

  void meet(Watch::What what, uint64_t number) {
    if (plan_.begin.what == what && plan_.begin.number == number) reach_begin();
    if (plan_.end.what == what && plan_.end.number == number) reach_end();
  }

  uint32_t account_of(uint32_t account) const {
    auto found = merged_.find(account);
    return found == merged_.end() ? account : found->second;
  }

  bool selects(uint32_t ledger, const LiveBlock& block, uint32_t account) const;
  void consider(uint32_t ledger, const LiveBlock& block, uint64_t now_ns);

  const LedgerSet& set_;
  const Plan& plan_;
  uint32_t accounts_;
  size_t top_;
  bool in_range_;
  uint64_t births_ = 0;
  uint64_t samples_ = 0;
  uint64_t markers_ = 0;
  std::vector<LiveHeaps*> tables_;
  std::unordered_map<uint32_t, uint32_t> merged_;
  BlockList list_;  // a heap, the smallest on top; sites are accounts until the end
};

bool BlocksBook::selects(uint32_t ledger, const LiveBlock& block, uint32_t account) const {
  if ((block.thread & kInRange) == 0 || !plan_.size.holds(block.size)) return false;
  if (plan_.ledger && *plan_.ledger != ledger) return false;
  if (!plan_.time_units.empty() && !plan_.time_units[ledger].holds(block.time)) return false;
  if (!plan_.accounts.empty() &&
      (account >= plan_.accounts.size() || plan_.accounts[account] == 0)) {
    return false;
  }
  if (plan_.threads.empty()) return true;
  const std::vector<char>& threads = plan_.threads[ledger];
  uint32_t thread = block.thread & kThreadBits;
  return thread < threads.size() && threads[thread] != 0;
}

void BlocksBook::consider(uint32_t ledger, const LiveBlock& block, uint64_t now_ns) {
  uint32_t account = account_of(block.account);
  if (!selects(ledger, block, account)) return;
  const Weight weight = set_.sampling(ledger).of(block);
  list_.live_blocks += weight.calls;
  list_.live_bytes += weight.bytes;
  BlockFacts facts;
  facts.address = block.address;
  facts.size = block.size;
  facts.birth_ns = set_.since_start({block.time, ledger});
  facts.age_ns = now_ns > facts.birth_ns ? now_ns - facts.birth_ns : 0;
  facts.ledger = ledger;
  facts.thread = block.thread & kThreadBits;
  facts.site = account;
  std::vector<BlockFacts>& blocks = list_.blocks;
  if (blocks.size() == top_) {
    if (top_ == 0 || !larger(facts, blocks.front())) return;
    std::pop_heap(blocks.begin(), blocks.end(), larger);
    blocks.pop_back();
  }
  blocks.push_back(facts);
  std::push_heap(blocks.begin(), blocks.end(), larger);
}

BlockList BlocksBook::take(const std::vector<uint32_t>& sites) {
  list_.time_ns = plan_.end.time_ns;
  std::sort(list_.blocks.begin(), list_.blocks.end(), larger);
  for (BlockFacts& block : list_.blocks) {
    block.site = block.site < sites.size() ? sites[block.site] : SiteCatalog::kRoot;
  }
  return std::move(list_);
}

}  // namespace

BlockList Ledgers::blocks(const Question& asked) {
  Parts& parts = *parts_;
  parts.look(asked.filter.heaps);
  if (!asked.filter.lifetime_ns.is_open()) {
    throw Error(
        "single blocks cannot be filtered by lifetime; take time, size, thread, function "
        "or module",
        kExitUsage);
  }
  Question question = asked;
  question.by = GroupBy::kSite;
  question.tree = TreeShape::kNone;
  Parts::Counted counted;
  if (question.filter.on_stacks()) {
    counted.selected = select_stacks(question.filter, parts.sites, parts.names());
  }
  Plan plan = parts.make_plan(question, counted);
  BlocksBook book(parts.set, plan, parts.given_accounts, question.top);
  Progress progress(parts.set.options().progress);
  std::vector<uint64_t> stops;
  bool begin_is_time = plan.between && plan.begin.what == Watch::What::kTime;
  if (begin_is_time) stops.push_back(plan.begin.time_ns);
  if (plan.end.what == Watch::What::kTime) stops.push_back(plan.end.time_ns);
  parts.set.play(
      book, plan.heaps, stops, progress, [](uint32_t, Replay<BlocksBook>&, LedgerFile&) {},
      [&](size_t i) {
        if (i == 0 && begin_is_time) {
          book.reach_begin();
        } else {
          book.reach_end();
        }
      });
  return book.take(parts.sites);
}

}  // namespace heapledger
