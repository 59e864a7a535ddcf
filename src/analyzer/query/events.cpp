#include "analyzer/query/events.h"

#include <deque>
#include <map>
#include <utility>

#include "analyzer/error.h"
#include "analyzer/query.h"
#include "analyzer/query/event_books.h"
#include "analyzer/query/ledgers_parts.h"
#include "analyzer/query/tally.h"

namespace heapledger {
namespace {

// Which blocks and which times the question is about, and the rest of what a pass needs to know.
class Selecting : public EventBook {
 public:
  Selecting(const LedgerSet& set, Plan plan, const std::vector<uint32_t>& sites, uint64_t begin_ns,
            uint64_t end_ns)
      : set_(set),
        plan_(std::move(plan)),
        sites_(sites),
        begin_ns_(begin_ns),
        end_ns_(end_ns),
        selects_all_(plan_.size.is_open() && plan_.accounts.empty() && plan_.threads.empty() &&
                     plan_.time_units.empty() && plan_.ledgers.empty()) {}

  const HeapChoice& heaps() const override { return plan_.heaps; }

 protected:
  static constexpr uint32_t kSelected = kFirstBookFlag;  // in LiveBlock::thread

  bool selects(uint32_t ledger, const LiveBlock& block) const {
    if (selects_all_) return true;
    if (!plan_.size.holds(block.size)) return false;
    if (!plan_.ledgers.empty() && plan_.ledgers[ledger] == 0) return false;
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
  const Plan plan_;
  const std::vector<uint32_t>& sites_;  // by account
  uint64_t begin_ns_;
  uint64_t end_ns_;
  bool selects_all_;
};

class BlockEventsBook final : public Selecting {
 public:
  using Use = std::function<void(const BlockEvent&)>;
  template <typename... Rest>
  explicit BlockEventsBook(Use use, Rest&&... rest)
      : Selecting(std::forward<Rest>(rest)...), use_(std::move(use)) {}

  // The ends of the range. Several events may have one time, so that a peak, a sample and a marker
  // are reached as Tally reaches them: after so many of their kind.
  void keep_to(const Watch& begin, const Watch& end) {
    begin_ = begin;
    end_ = end;
    begun_ = !is_counted(begin);
  }

  void born(uint32_t ledger, LiveBlock& block, const Weight& weight) override {
    uint64_t now = set().since_start({block.time, ledger});
    if (is_within(now) && selects(ledger, block)) {
      block.thread |= kSelected;
      tell(BlockEvent::What::kBorn, ledger, block, now, block.thread & kThreadBits, weight);
    }
    meet(Watch::What::kBirth, ++births_);
  }
  void sampled(uint32_t, const MemorySample&) override { meet(Watch::What::kSample, ++samples_); }
  void marked(uint32_t, uint64_t, std::string_view) override {
    meet(Watch::What::kMarker, ++markers_);
  }
  void died(uint32_t ledger, const LiveBlock& block, const Death& death,
            const Weight& weight) override {
    end(death.by_resize ? BlockEvent::What::kResized : BlockEvent::What::kFreed, ledger, block,
        death.time, death.thread, weight, death.temporary);
  }
  void lost(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) override {
    end(BlockEvent::What::kLost, ledger, block, time, block.thread & kThreadBits, weight, false);
  }
  void left(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) override {
    end(BlockEvent::What::kLeft, ledger, block, time, block.thread & kThreadBits, weight, false);
  }

 private:
  void end(BlockEvent::What what, uint32_t ledger, const LiveBlock& block, uint64_t time,
           uint32_t by, const Weight& weight, bool temporary) {
    if ((block.thread & kSelected) == 0) return;
    uint64_t now = set().since_start({time, ledger});
    if (!is_within(now)) return;
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

  static bool is_counted(const Watch& watch) {
    return watch.what == Watch::What::kBirth || watch.what == Watch::What::kSample ||
           watch.what == Watch::What::kMarker;
  }
  void meet(Watch::What what, uint64_t number) {
    if (begin_.what == what && begin_.number == number) begun_ = true;
    if (end_.what == what && end_.number == number) over_ = true;
  }
  bool is_within(uint64_t now) const { return begun_ && !over_ && in_range(now); }

  const Use use_;
  BlockEvent event_;
  Watch begin_;
  Watch end_{Watch::What::kEnd, 0, 0};
  bool begun_ = true;
  bool over_ = false;
  uint64_t births_ = 0;
  uint64_t samples_ = 0;
  uint64_t markers_ = 0;
};

// A call that has to wait until its block is known, or that came after such a one.
struct HeldCall {
  CallFacts call;
  bool waits = false;  // it frees a block that is not known yet
  bool dropped = false;
};

// Calls in the order of time, while a free among them waits for its block: stamps of threads can be
// out of order by a little, so that a block may be freed before it is allocated (pairing.h).
class HeldCalls {
 public:
  bool empty() const { return calls_.empty(); }

  void add(const CallFacts& call, bool waits) {
    if (waits) places_[{call.ledger, call.address}].push_back(first_ + calls_.size());
    calls_.push_back({call, waits, false});
  }

  // The first free of that address that waits, if it is that one, which does no longer; nullptr:
  // none does.
  HeldCall* settle(uint32_t ledger, uint64_t address, uint64_t time_ns) {
    auto found = places_.find({ledger, address});
    if (found == places_.end()) return nullptr;
    HeldCall& held = calls_[found->second.front() - first_];
    if (held.call.time_ns != time_ns) return nullptr;
    forget(found);
    held.waits = false;
    return &held;
  }

  // Gives those at the front that wait for nothing; when there are too many, or at the end, others
  // as well.
  template <typename Use>
  void release(bool all, const Use& use) {
    while (!calls_.empty()) {
      HeldCall& held = calls_.front();
      if (held.waits) {
        if (!all && calls_.size() < kMostHeld) return;
        forget(places_.find({held.call.ledger, held.call.address}));
      }
      use(held);
      calls_.pop_front();
      ++first_;
    }
  }

 private:
  static constexpr size_t kMostHeld = 1 << 14;
  using Places = std::map<std::pair<uint32_t, uint64_t>, std::deque<size_t>>;

  void forget(Places::iterator place) {
    place->second.pop_front();
    if (place->second.empty()) places_.erase(place);
  }

  std::deque<HeldCall> calls_;
  size_t first_ = 0;  // number of the one at the front
  Places places_;     // by ledger and address: numbers of those that wait, in order
};

class CallsBook final : public Selecting {
 public:
  using Use = std::function<void(const CallFacts&)>;
  template <typename... Rest>
  explicit CallsBook(Use use, Rest&&... rest)
      : Selecting(std::forward<Rest>(rest)...), use_(std::move(use)) {}

  void born(uint32_t ledger, LiveBlock& block, const Weight&) override {
    if (selects(ledger, block)) block.thread |= kSelected;
  }
  void died(uint32_t ledger, const LiveBlock& block, const Death& death, const Weight&) override {
    HeldCall* held = settle(ledger, block.address, death);
    if (held == nullptr) return;
    held->dropped = !selects_all() && (block.thread & kSelected) == 0;
    tell_block(block, held->call);
  }
  void unborn(uint32_t ledger, uint64_t address, const Death& death) override {
    settle(ledger, address, death);
  }

  bool wants_calls() const override { return true; }
  void called(uint32_t ledger, uint32_t thread, const format::Entry& entry,
              const LiveBlock* block) override {
    format::Event what = format::event_of(entry.kind);
    bool allocates = what != format::Event::kDeath;
    bool waits = !allocates && block == nullptr && entry.pointer != 0;
    if (!selects_all() && !waits) {
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
    const format::FunctionRow& function = format::row_of(format::meaning_of(entry.kind).function);
    call.function = function.name;
    call.address = entry.pointer;
    // What an entry has no field for is left from the one before.
    if (what == format::Event::kResize) call.old_address = entry.old_pointer;
    if (allocates) call.size = entry.size;
    if (function.aligned) call.alignment = entry.alignment;
    call.allocates = allocates;
    call.calls = 0;
    if (block != nullptr) tell_block(*block, call);
    if (held_.empty() && !waits) return use_(call);
    held_.add(call, waits);
    release(false);
  }

  // The same in another heap than malloc's; these are never sampled, and wait for nothing.
  void called_in_heap(uint32_t ledger, uint32_t heap, uint32_t thread,
                      const format::HeapEvent& event, uint64_t time,
                      const LiveBlock* block) override {
    bool allocates = event.event != format::Event::kDeath;
    if (!selects_all() && (block == nullptr || !selects(ledger, *block))) return;
    CallFacts call;
    call.time_ns = set().since_start({time, ledger});
    if (!in_range(call.time_ns)) return;
    call.ledger = ledger;
    call.thread = thread;
    call.heap = heap;
    bool known = event.function < format::kFunctions;
    call.function =
        known ? format::name_of(static_cast<format::Function>(event.function)) : "unknown";
    call.address = event.pointer;
    call.old_address = event.old_pointer;
    call.allocates = allocates;
    call.calls = 0;
    if (block != nullptr) tell_block(*block, call);
    if (event.size != 0) call.size = event.size;
    call.bytes = call.size;  // of mappings, what is given back
    if (held_.empty()) return use_(call);
    held_.add(call, false);
    release(false);
  }

  void finish() override { release(true); }

 private:
  HeldCall* settle(uint32_t ledger, uint64_t address, const Death& death) {
    if (held_.empty() || death.by_resize) [[likely]] {
      return nullptr;
    }
    return held_.settle(ledger, address, set().since_start({death.time, ledger}));
  }

  void tell_block(const LiveBlock& block, CallFacts& call) const {
    call.size = block.size;
    call.has_site = true;
    call.site = site_of(block.account);
    const Weight weight = set().sampling(call.ledger).of(block);
    call.calls = weight.calls;
    call.bytes = weight.bytes;
  }

  void release(bool all) {
    held_.release(all, [this](const HeldCall& held) {
      if (!held.dropped && (selects_all() || held.call.has_site)) use_(held.call);
    });
  }

  const Use use_;
  HeldCalls held_;
};

void refuse_lifetimes(const Question& question) {
  if (question.filter.lifetime_ns.is_open()) return;
  throw Error(
      "single entries cannot be filtered by lifetime; take time, size, thread, function or module",
      ErrorKind::kQuestion);
}

template <typename Book, typename Facts>
std::unique_ptr<Book> make_book(Ledgers::Parts& parts, const Question& asked,
                                std::function<void(const Facts&)> use) {
  refuse_lifetimes(asked);
  parts.look(asked.filter.heaps);
  Watch begin;
  Watch end = {Watch::What::kEnd, 0, UINT64_MAX};
  if (asked.between) {
    begin = parts.resolve(asked.between->first);
    end = parts.resolve(asked.between->second);
  }
  Question question = asked;
  question.by = GroupBy::kSite;
  question.tree = TreeShape::kNone;
  question.at.kind = MomentSpec::Kind::kEnd;
  question.between.reset();
  Ledgers::Parts::Counted counted;
  if (question.filter.on_stacks()) {
    counted.selected = select_stacks(question.filter, parts.sites, parts.names());
  }
  auto book = std::make_unique<Book>(std::move(use), parts.set, parts.make_plan(question, counted),
                                     parts.sites, begin.time_ns, end.time_ns);
  if constexpr (requires { book->keep_to(begin, end); }) book->keep_to(begin, end);
  return book;
}

void pass(Ledgers::Parts& parts, const std::unique_ptr<EventBook>& book) {
  parts.scan(*book, book->heaps(), nullptr, {});
  book->finish();
}

}  // namespace

std::unique_ptr<EventBook> book_of_blocks(Ledgers::Parts& parts, const Question& question,
                                          std::function<void(const BlockEvent&)> use) {
  return make_book<BlockEventsBook>(parts, question, std::move(use));
}

std::unique_ptr<EventBook> book_of_calls(Ledgers::Parts& parts, const Question& question,
                                         std::function<void(const CallFacts&)> use) {
  return make_book<CallsBook>(parts, question, std::move(use));
}

void Ledgers::calls(const Question& question, const std::function<void(const CallFacts&)>& use) {
  Turn turn(*this);
  pass(*parts_, book_of_calls(*parts_, question, use));
}

void Ledgers::block_events(const Question& question,
                           const std::function<void(const BlockEvent&)>& use) {
  Turn turn(*this);
  pass(*parts_, book_of_blocks(*parts_, question, use));
}

}  // namespace heapledger
