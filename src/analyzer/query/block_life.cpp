#include "analyzer/query/block_life.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>

namespace heapledger {
namespace {

// All blocks of a process, one event after the other. What has the address comes and goes while the
// time is not reached; what is there then, or was not gone then, is the block.
class LifeBook {
 public:
  LifeBook(uint64_t address, uint64_t time_ns) : address_(address), time_ns_(time_ns) {}

  void add(const BlockEvent& event) {
    const bool born = event.what == BlockEvent::What::kBorn;
    if (!is_reached_ && event.time_ns > time_ns_) reach();
    if (born) {
      begin(event);
    } else {
      end(event);
    }
  }

  LifeOfBlock take() {
    if (!is_reached_) reach();
    if (life_.block) add_before();
    for (BlockLife& one : before_) life_.tenants.push_back(one);
    std::sort(after_.begin(), after_.end(),
              [](const auto& a, const auto& b) { return a.birth_ns < b.birth_ns; });
    if (after_.size() > LifeOfBlock::kMostTenants) after_.resize(LifeOfBlock::kMostTenants);
    for (BlockLife& one : after_) life_.tenants.push_back(one);
    return std::move(life_);
  }

 private:
  // How a block that is live came about by resizes.
  struct Origin {
    std::deque<BlockLife> steps;
    uint64_t resizes = 0;
  };

  static BlockLife facts_of(const BlockEvent& event) {
    BlockLife life;
    life.ledger = event.ledger;
    life.address = event.address;
    life.size = event.size;
    life.site = event.site;
    life.thread = life.by = event.thread;
    life.birth_ns = event.birth_ns;
    if (event.what == BlockEvent::What::kBorn) return life;
    life.end_ns = event.time_ns;
    life.end = event.what;
    life.by = event.by;
    life.temporary = event.temporary;
    return life;
  }

  bool has_address(uint64_t address, uint64_t size) const {
    return address <= address_ && address_ - address < std::max<uint64_t>(size, 1);
  }
  bool is_near(uint64_t address, uint64_t size) const {
    if (address > address_) return address - address_ <= LifeOfBlock::kNear;
    const uint64_t distance = address_ - address;
    return distance < size || distance - size <= LifeOfBlock::kNear;
  }
  bool is_block(const BlockEvent& event) const {
    return life_.block && event.address == life_.block->address &&
           event.birth_ns == life_.block->birth_ns && !is_over_;
  }

  void begin(const BlockEvent& event) {
    if (!is_reached_ && is_near(event.address, event.size)) near_[event.address] = facts_of(event);
    // Stamps of threads can be out of order by a little.
    const bool is_late = is_reached_ && !life_.block && event.time_ns <= time_ns_;
    if (is_late && has_address(event.address, event.size)) life_.block = facts_of(event);
    // What was resized goes on as the block that is born next, unless that one is held up.
    if (!resized_ || resized_->steps.back().by != event.thread) return resized_.reset();
    if (is_over_ && is_next_) {
      life_.after = facts_of(event);
      is_next_ = false;
    }
    if (!is_reached_) {
      Origin& origin = origins_[event.address] = std::move(*resized_);
      if (origin.steps.size() > LifeOfBlock::kMostBefore) origin.steps.pop_front();
    }
    resized_.reset();
  }

  void end(const BlockEvent& event) {
    const BlockLife life = facts_of(event);
    resized_.reset();
    auto origin = origins_.find(event.address);
    if (event.what == BlockEvent::What::kResized) {
      resized_ = origin != origins_.end() && !is_reached_ ? std::move(origin->second) : Origin();
      resized_->steps.push_back(life);
      ++resized_->resizes;
    }
    if (is_block(event)) {
      *life_.block = life;
      is_over_ = true;
      is_next_ = event.what == BlockEvent::What::kResized;
    } else if (has_address(event.address, event.size)) {
      add_tenant(life);
      if (!is_reached_ && event.time_ns == time_ns_) just_ended_ = life;
    }
    if (is_reached_) {
      const auto tell_end = [&life](BlockLife& one) {
        if (one.address == life.address && one.birth_ns == life.birth_ns) one = life;
      };
      std::for_each(life_.neighbours.begin(), life_.neighbours.end(), tell_end);
      if (life_.after) tell_end(*life_.after);
      return;
    }
    if (origin != origins_.end()) origins_.erase(origin);
    near_.erase(event.address);
  }

  void add_tenant(const BlockLife& life) {
    if (!is_reached_) {
      ++life_.tenants_before;
      before_.push_back(life);
      if (before_.size() > LifeOfBlock::kMostTenants) before_.pop_front();
      return;
    }
    // They come in the order of their ends, which is nearly that of their births.
    ++life_.tenants_after;
    if (after_.size() < 2 * LifeOfBlock::kMostTenants) after_.push_back(life);
  }

  // The time of the question: what is live is as it was then.
  void reach() {
    is_reached_ = true;
    auto here = near_.end();
    for (auto one = near_.begin(); one != near_.end(); ++one) {
      if (has_address(one->first, one->second.size)) here = one;
    }
    if (here != near_.end()) {
      life_.block = here->second;
    } else if (just_ended_) {
      // The clock does not tell its birth from its end, or the question is about its end.
      life_.block = just_ended_;
      is_over_ = true;
      before_.pop_back();
      --life_.tenants_before;
    }
    auto above = here != near_.end() ? std::next(here) : near_.lower_bound(address_);
    auto below = here != near_.end() ? here : above;
    for (size_t i = 0; i < LifeOfBlock::kMostNeighbours && below != near_.begin(); ++i) {
      life_.neighbours.insert(life_.neighbours.begin(), (--below)->second);
    }
    for (size_t i = 0; i < LifeOfBlock::kMostNeighbours && above != near_.end(); ++i) {
      life_.neighbours.push_back((above++)->second);
    }
    near_.clear();
    if (life_.block) {
      auto found = origins_.find(life_.block->address);
      if (found != origins_.end()) origin_ = std::move(found->second);
    }
    origins_.clear();
  }

  void add_before() {
    life_.resizes_before = origin_.resizes;
    life_.before.assign(origin_.steps.begin(), origin_.steps.end());
  }

  uint64_t address_;
  uint64_t time_ns_;
  LifeOfBlock life_;
  bool is_reached_ = false;
  bool is_over_ = false;  // the block
  bool is_next_ = false;  // the next birth is what the block became
  std::map<uint64_t, BlockLife> near_;
  std::unordered_map<uint64_t, Origin> origins_;  // by address, of live blocks
  std::optional<Origin> resized_;                 // by the event before
  Origin origin_;                                 // of the block
  std::optional<BlockLife> just_ended_;           // at that very time
  std::deque<BlockLife> before_;
  std::vector<BlockLife> after_;
};

}  // namespace

LifeOfBlock life_of_block(Ledgers& ledgers, const Question& question, uint64_t address,
                          uint64_t time_ns) {
  Question all;
  all.filter.heaps = question.filter.heaps;
  all.ledger = question.ledger.value_or(0);
  LifeBook book(address, time_ns);
  ledgers.block_events(all, [&book](const BlockEvent& event) { book.add(event); });
  return book.take();
}

}  // namespace heapledger
