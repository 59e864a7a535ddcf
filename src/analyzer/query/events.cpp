#include "analyzer/query/events.h"

#include <array>
#include <utility>

#include "analyzer/error.h"
#include "analyzer/query.h"
#include "analyzer/query/ledgers_parts.h"
#include "analyzer/query/tally.h"

namespace heapledger {
namespace {

constexpr std::array<const char*, 64> make_functions() {
  using format::Kind;
  std::array<const char*, 64> names{};
  auto set = [&names](Kind kind, const char* name) { names[static_cast<size_t>(kind)] = name; };
  set(Kind::kMalloc, "malloc");
  set(Kind::kCalloc, "calloc");
  set(Kind::kReallocNew, "realloc");
  set(Kind::kRealloc, "realloc");
  set(Kind::kReallocFree, "realloc");
  set(Kind::kReallocArrayNew, "reallocarray");
  set(Kind::kReallocArray, "reallocarray");
  set(Kind::kReallocArrayFree, "reallocarray");
  set(Kind::kValloc, "valloc");
  set(Kind::kPvalloc, "pvalloc");
  set(Kind::kPosixMemalign, "posix_memalign");
  set(Kind::kAlignedAlloc, "aligned_alloc");
  set(Kind::kMemalign, "memalign");
  set(Kind::kFree, "free");
  set(Kind::kFreeSized, "free_sized");
  set(Kind::kFreeAlignedSized, "free_aligned_sized");
  return names;
}
constexpr std::array<const char*, 64> kFunctionOf = make_functions();

// Which blocks and which times the question is about, and the rest of what a pass needs to know.
class Selecting : public AccountNumbers {
 public:
  Selecting(const LedgerSet& set, const Plan& plan, const std::vector<uint32_t>& sites,
            uint64_t begin_ns, uint64_t end_ns)
      : set_(set), plan_(plan), sites_(sites), begin_ns_(begin_ns), end_ns_(end_ns) {
    selects_all_ = plan.size.is_open() && plan.accounts.empty() && plan.threads.empty() &&
                   plan.time_units.empty() && !plan.ledger;
  }

  std::vector<LiveBlocks*>& tables() { return tables_; }
  uint32_t add() override { return UINT32_MAX - 1; }  // of no site that a pass has seen before
  void merge(uint32_t, uint32_t, Moment) override {}
  bool wants_prefetch() const { return false; }
  void prefetch(uint32_t) const {}
  void spent(uint32_t, const LiveBlock&, uint64_t) {}
  void resized(uint32_t, const Resize&) {}
  void sampled(uint32_t, const MemorySample&) {}
  void marked(uint32_t, uint64_t, std::string_view) {}
  void ended(uint32_t, uint64_t) {}

 protected:
  static constexpr uint32_t kSelected = 1u << 29;  // in LiveBlock::thread

  bool selects(uint32_t ledger, const LiveBlock& block) const {
    if (selects_all_) return true;
    if (!plan_.size.holds(block.size) || (plan_.ledger && *plan_.ledger != ledger)) return false;
    if (!plan_.time_units.empty() && !plan_.time_units[ledger].holds(block.time)) return false;
    if (!plan_.accounts.empty() &&
        (block.account >= plan_.accounts.size() || plan_.accounts[block.account] == 0)) {
      return false;
    }
    if (plan_.threads.empty()) return true;
    const std::vector<char>& threads = plan_.threads[ledger];
    uint32_t thread = block.thread & kThreadBits;
    return thread < threads.size() && threads[thread] != 0;
  }
  bool selects_all() const { return selects_all_; }
  bool in_range(uint64_t time_ns) const { return time_ns >= begin_ns_ && time_ns <= end_ns_; }
  uint32_t site_of(uint32_t account) const {
    return account < sites_.size() ? sites_[account] : SiteCatalog::kRoot;
  }
  const LedgerSet& set() const { return set_; }

 private:
  const LedgerSet& set_;
  const Plan& plan_;
  const std::vector<uint32_t>& sites_;  // by account
  uint64_t begin_ns_;
  uint64_t end_ns_;
  bool selects_all_;
  std::vector<LiveBlocks*> tables_;
};

class BlockEventsBook final : public Selecting {
 public:
  using Use = std::function<void(const BlockEvent&)>;
  template <typename... Rest>
  explicit BlockEventsBook(const Use& use, Rest&&... rest)
      : Selecting(std::forward<Rest>(rest)...), use_(use) {}

  void born(uint32_t ledger, LiveBlock& block, const Weight& weight) {
    uint64_t now = set().since_start({block.time, ledger});
    if (!in_range(now) || !selects(ledger, block)) return;
    block.thread |= kSelected;
    tell(BlockEvent::What::kBorn, ledger, block, now, block.thread & kThreadBits, weight);
  }
  void died(uint32_t ledger, const LiveBlock& block, const Death& death, const Weight& weight) {
    end(death.by_resize ? BlockEvent::What::kResized : BlockEvent::What::kFreed, ledger, block,
        death.time, death.thread, weight, death.temporary);
  }
  void lost(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) {
    end(BlockEvent::What::kLost, ledger, block, time, block.thread & kThreadBits, weight, false);
  }
  void left(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) {
    end(BlockEvent::What::kLeft, ledger, block, time, block.thread & kThreadBits, weight, false);
  }

 private:
  void end(BlockEvent::What what, uint32_t ledger, const LiveBlock& block, uint64_t time,
           uint32_t by, const Weight& weight, bool temporary) {
    if ((block.thread & kSelected) == 0) return;
    uint64_t now = set().since_start({time, ledger});
    if (!in_range(now)) return;
    event_.temporary = temporary;
    tell(what, ledger, block, now, by, weight);
    event_.temporary = false;
  }
  void tell(BlockEvent::What what, uint32_t ledger, const LiveBlock& block, uint64_t now,
            uint32_t by, const Weight& weight) {
    event_.what = what;
    event_.ledger = ledger;
    event_.thread = block.thread & kThreadBits;
    event_.by = by;
    event_.site = site_of(block.account);
    event_.time_ns = now;
    event_.birth_ns =
        what == BlockEvent::What::kBorn ? now : set().since_start({block.time, ledger});
    event_.address = block.address;
    event_.size = block.size;
    event_.calls = weight.calls;
    event_.bytes = weight.bytes;
    use_(event_);
  }

  const Use& use_;
  BlockEvent event_;
};

class CallsBook final : public Selecting {
 public:
  using Use = std::function<void(const CallFacts&)>;
  template <typename... Rest>
  explicit CallsBook(const Use& use, Rest&&... rest)
      : Selecting(std::forward<Rest>(rest)...), use_(use) {}

  void born(uint32_t ledger, LiveBlock& block, const Weight&) {
    if (selects(ledger, block)) block.thread |= kSelected;
  }
  void died(uint32_t, const LiveBlock&, const Death&, const Weight&) {}
  void lost(uint32_t, const LiveBlock&, uint64_t, const Weight&) {}
  void left(uint32_t, const LiveBlock&, uint64_t, const Weight&) {}

  // By Replay, for every call. `block`: the one it allocates or, if known, the one it frees.
  void called(uint32_t ledger, uint32_t thread, const format::Entry& entry,
              const LiveBlock* block) {
    bool allocates = happening(entry.kind) != Happening::kDeath;
    if (!selects_all()) {
      if (block == nullptr) return;
      if (allocates ? !selects(ledger, *block) : (block->thread & kSelected) == 0) return;
    }
    CallFacts call;
    call.time_ns = set().since_start({entry.time, ledger});
    if (!in_range(call.time_ns)) return;
    if (entry.end_time > entry.time) {
      call.took_ns = set().since_start({entry.end_time, ledger}) - call.time_ns;
    }
    call.ledger = ledger;
    call.thread = thread;
    call.function = kFunctionOf[static_cast<size_t>(entry.kind) & 63];
    call.address = entry.pointer;
    call.old_address = entry.old_pointer;
    call.size = entry.size;
    call.alignment = entry.alignment;
    call.allocates = allocates;
    call.calls = 0;
    if (block != nullptr) {
      call.size = block->size;
      call.has_site = true;
      call.site = site_of(block->account);
      const Weight weight = set().sampling(ledger).of(*block);
      call.calls = weight.calls;
      call.bytes = weight.bytes;
    }
    use_(call);
  }

 private:
  const Use& use_;
};

void refuse_lifetimes(const Question& question) {
  if (question.filter.lifetime_ns.is_open()) return;
  throw Error(
      "single entries cannot be filtered by lifetime; take time, size, thread, function or module",
      kExitUsage);
}

template <typename Book, typename Facts>
void pass(Ledgers::Parts& parts, const Question& asked, std::pair<uint64_t, uint64_t> range,
          const std::function<void(const Facts&)>& use) {
  Question question = asked;
  question.by = GroupBy::kSite;
  question.tree = TreeShape::kNone;
  question.at.kind = MomentSpec::Kind::kEnd;
  question.between.reset();
  Ledgers::Parts::Counted counted;
  if (question.filter.on_stacks()) {
    counted.selected = select_stacks(question.filter, parts.sites, parts.names());
  }
  Plan plan = parts.make_plan(question, counted);
  Book book(use, parts.set, plan, parts.sites, range.first, range.second);
  Progress progress(parts.set.options().progress);
  parts.set.play(
      book, {}, progress, [](uint32_t, Replay<Book>&, LedgerFile&) {}, [](size_t) {});
}

}  // namespace

void Ledgers::calls(const Question& question, const std::function<void(const CallFacts&)>& use) {
  refuse_lifetimes(question);
  parts_->read();
  pass<CallsBook>(*parts_, question, range_of(question), use);
}

void Ledgers::block_events(const Question& question,
                           const std::function<void(const BlockEvent&)>& use) {
  refuse_lifetimes(question);
  parts_->read();
  pass<BlockEventsBook>(*parts_, question, range_of(question), use);
}

std::pair<uint64_t, uint64_t> Ledgers::range_of(const Question& question) {
  if (!question.between) return {0, UINT64_MAX};
  return {time_of(question.between->first), time_of(question.between->second)};
}

}  // namespace heapledger
