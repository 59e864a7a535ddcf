#include "analyzer/query/blocks.h"

#include <algorithm>

#include "analyzer/error.h"
#include "analyzer/query.h"
#include "analyzer/query/ledgers_parts.h"
#include "analyzer/query/tally.h"

namespace heapledger {
namespace {

class BlocksBook final : public QuietBook {
 public:
  BlocksBook(const LedgerSet& set, const Plan& plan, size_t top)
      : set_(set), plan_(plan), top_(top) {
    using What = Watch::What;
    bool met_later = plan.begin.what == What::kEnd || plan.begin.what == What::kTime;
    in_range_ = !plan.between || (!met_later && plan.begin.number == 0);
    // A moment before the first birth, sample or marker is the start, when nothing is live.
  }

  void reach_begin() override { in_range_ = true; }
  void reach_end() override {
    for (uint32_t i = 0; i < tables().size(); ++i) {
      if (tables()[i] == nullptr) continue;
      tables()[i]->for_each([&](const LiveBlock& block) { consider(i, block, plan_.end.time_ns); });
    }
  }
  BlockList take(const std::vector<uint32_t>& sites);

  void merge(uint32_t from, uint32_t to, Moment) override { merged_[from] = to; }

  void born(uint32_t, LiveBlock& block, const Weight&) override {
    if (in_range_) block.thread |= kInRange;
    meet(Watch::What::kBirth, ++births_);
  }
  void left(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight&) override {
    if (plan_.end.what == Watch::What::kEnd) {
      consider(ledger, block, set_.since_start({time, ledger}));
    }
  }
  void sampled(uint32_t, const MemorySample&) override { meet(Watch::What::kSample, ++samples_); }
  void marked(uint32_t, uint64_t, std::string_view) override {
    meet(Watch::What::kMarker, ++markers_);
  }

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
  size_t top_;
  bool in_range_;
  uint64_t births_ = 0;
  uint64_t samples_ = 0;
  uint64_t markers_ = 0;
  std::unordered_map<uint32_t, uint32_t> merged_;
  BlockList list_;  // a heap, the smallest on top; sites are accounts until the end
};

bool BlocksBook::selects(uint32_t ledger, const LiveBlock& block, uint32_t account) const {
  if ((block.thread & kInRange) == 0 || !plan_.size.holds(block.size)) return false;
  if (!plan_.ledgers.empty() && plan_.ledgers[ledger] == 0) return false;
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
  Turn turn(*this);
  Parts& parts = *parts_;
  parts.look(asked.filter.heaps);
  if (!asked.filter.lifetime_ns.is_open()) {
    throw Error(
        "single blocks cannot be filtered by lifetime; take time, size, thread, function "
        "or module",
        ErrorKind::kQuestion);
  }
  Question question = asked;
  question.by = GroupBy::kSite;
  question.tree = TreeShape::kNone;
  Parts::Counted counted;
  if (question.filter.on_stacks()) {
    counted.selected = select_stacks(question.filter, parts.sites, parts.names());
  }
  Plan plan = parts.make_plan(question, counted);
  BlocksBook book(parts.set, plan, question.top);
  parts.scan(book, plan.heaps, plan.between ? &plan.begin : nullptr, plan.end);
  return book.take(parts.sites);
}

}  // namespace heapledger
