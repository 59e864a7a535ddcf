#include "analyzer/query/operations_book.h"

#include <algorithm>
#include <bit>

namespace heapledger {
namespace {

using format::Kind;
using What = Operation::What;

uint8_t logarithm(uint64_t alignment) {
  if (alignment < 2) return 0;
  return static_cast<uint8_t>(std::bit_width(alignment - 1) & 63);
}

bool has_alignment(Kind kind) {
  return kind == Kind::kPosixMemalign || kind == Kind::kAlignedAlloc || kind == Kind::kMemalign;
}

What what_is(const format::Entry& entry) {
  switch (format::event_of(entry.kind)) {
    case format::Event::kDeath:
      return entry.pointer == 0 ? What::kFreeNull : What::kFree;
    case format::Event::kResize:
      if (entry.old_pointer == 0) {
        return entry.pointer == 0 ? What::kFailed : What::kResizeUnknown;
      }
      return entry.pointer == 0 ? What::kFree : What::kResize;
    default:
      return entry.pointer == 0 ? What::kFailed : What::kAllocate;
  }
}

}  // namespace

// --- what the scan tells ---

void OperationsBook::called(uint32_t, uint32_t thread, const format::Entry& entry,
                            const LiveBlock* block) {
  park_last();
  const format::Event happens = format::event_of(entry.kind);
  Operation& operation = last_;
  operation = {};
  operation.what = what_is(entry);
  operation.kind = entry.kind;
  operation.thread = thread;
  operation.time_ns = clock_.ns_since_start(entry.time);
  if (happens != format::Event::kDeath) operation.size = entry.size;
  if (has_alignment(entry.kind)) operation.alignment = entry.alignment;
  last_waits_death_ = operation.what == What::kFree || operation.what == What::kResize;
  if (last_waits_death_) {
    last_dies_ = happens == format::Event::kResize ? entry.old_pointer : entry.pointer;
    last_dies_time_ = entry.time;
    if (happens == format::Event::kResize && entry.pointer == 0) {
      operation.kind = entry.kind == Kind::kRealloc ? Kind::kReallocFree : Kind::kReallocArrayFree;
    }
  }
  last_waits_birth_ = happens != format::Event::kDeath && entry.pointer != 0;
  if (last_waits_birth_) {
    last_born_ = entry.pointer;
    last_born_time_ = entry.end_time;
    number_block(operation, block != nullptr ? block->account : UINT32_MAX);
  }
  last_number_ = kNever;
  if (held_.empty()) {
    if (!last_waits_death_) tell(operation);
    return;
  }
  last_number_ = hold(operation, last_waits_death_);
  if (!last_waits_death_) release(false);
}

void OperationsBook::born(uint32_t, LiveBlock& block, const Weight&) {
  const uint32_t thread = block.thread & kThreadBits;
  Half half{block.time, 0, block.size, thread};
  BlockNumber number = kNoBlock;
  if (take_half(births_, block.address, half)) {
    number = static_cast<BlockNumber>(half.number);
  } else if (last_waits_birth_ && last_born_ == block.address && last_born_time_ == block.time &&
             last_.thread == thread) {
    number = last_.block;
    last_waits_birth_ = false;
  }
  block.account = number;  // what it is needed for otherwise, numbered_ has
  if (lost_ == kNoBlock) [[likely]] {
    return;
  }
  end_lost(lost_, thread, clock_.ns_since_start(block.time));
  lost_ = kNoBlock;
}

void OperationsBook::died(uint32_t, const LiveBlock& block, const Death& death, const Weight&) {
  const BlockNumber dying = block.account;
  uint64_t number = kNever;
  if (!find_death(block.address, death, number)) return;
  if (number == kNever) {  // the last one, and nothing is held
    const bool is_own = dying != kNoBlock && dying == last_.block;  // a resize in place
    if (is_own) numbered_[dying].dies_at_birth = true;
    fill_in(last_, is_own ? kNoBlock : dying);
    tell(last_);
  } else if (number < first_ || held(number).done) {  // it could not be waited for
    if (dying != kNoBlock) end_lost(dying, death.thread, clock_.ns_since_start(death.time));
  } else {
    Held& waiting = held(number);
    waiting.waits = false;
    fill_in(waiting.operation, dying);
    release(false);
  }
}

void OperationsBook::unborn(uint32_t, uint64_t address, const Death& death) {
  uint64_t number = kNever;
  if (!find_death(address, death, number)) return;
  if (number == kNever) {
    without_old_block(last_);
    tell(last_);
  } else if (number >= first_ && !held(number).done) {
    Held& waiting = held(number);
    waiting.waits = false;
    without_old_block(waiting.operation);
    release(false);
  }
}

void OperationsBook::lost(uint32_t, const LiveBlock& block, uint64_t, const Weight&) {
  lost_ = block.account;
}

LeftOut OperationsBook::finish() {
  park_last();
  release(true);
  return left_out_;
}

// --- halves of calls ---

bool OperationsBook::take_half(Halves& halves, uint64_t address, Half& half) {
  if (halves.empty()) [[likely]] {
    return false;
  }
  auto found = halves.find(address);
  if (found == halves.end()) return false;
  std::deque<Half>& here = found->second;
  auto same = std::find_if(here.begin(), here.end(), [&half](const Half& one) {
    return one.time == half.time && one.thread == half.thread && one.size == half.size;
  });
  if (same == here.end()) return false;
  half = *same;
  here.erase(same);
  if (here.empty()) halves.erase(found);
  return true;
}

// The operation that is this death: kNever stands for the last one while it is not held. False:
// there is none.
bool OperationsBook::find_death(uint64_t address, const Death& death, uint64_t& number) {
  Half half{death.time, 0, 0, death.thread};
  if (take_half(deaths_, address, half)) {
    number = half.number;
    return true;
  }
  if (!last_waits_death_ || last_dies_ != address || last_dies_time_ != death.time ||
      last_.thread != death.thread) {
    return false;
  }
  last_waits_death_ = false;
  number = last_number_;
  return true;
}

// There is another call: what was not told of the last one by now will come later, if ever.
void OperationsBook::park_last() {
  if (last_waits_death_) [[unlikely]] {
    if (last_number_ == kNever) last_number_ = hold(last_, true);
    deaths_[last_dies_].push_back({last_dies_time_, last_number_, 0, last_.thread});
    last_waits_death_ = false;
  }
  if (last_waits_birth_) [[unlikely]] {
    births_[last_born_].push_back({last_born_time_, last_.block, last_.size, last_.thread});
    last_waits_birth_ = false;
  }
}

// --- numbers of blocks ---

void OperationsBook::number_block(Operation& operation, uint32_t account) {
  if (unused_.empty()) {
    operation.block = static_cast<BlockNumber>(numbered_.size());
    numbered_.emplace_back();
  } else {
    operation.block = unused_.back();
    unused_.pop_back();
  }
  operation.site = account < sites_.size() ? sites_[account] : SiteCatalog::kRoot;
  Numbered& block = numbered_[operation.block];
  block.size = operation.size;
  block.birth = first_ + held_.size();
  block.site = operation.site;
  block.alignment = logarithm(operation.alignment);
  block.dies_at_birth = false;
}

void OperationsBook::fill_in(Operation& operation, BlockNumber old_block) {
  if (old_block == kNoBlock) return without_old_block(operation);
  const Numbered& block = numbered_[old_block];
  operation.old_block = old_block;
  operation.old_size = block.size;
  if (operation.what == What::kResize) return;
  operation.size = block.size;
  operation.site = block.site;
  operation.alignment = block.alignment == 0 ? 0 : uint64_t{1} << block.alignment;
}

// It is not known which block that was, or it cannot be done before that block is there.
void OperationsBook::without_old_block(Operation& operation) {
  operation.old_block = kNoBlock;
  operation.old_size = 0;
  if (operation.what == What::kResize) operation.what = What::kResizeUnknown;
  if (operation.what == What::kFree) ++left_out_.unknown_frees;
}

void OperationsBook::end_lost(BlockNumber block, uint32_t thread, uint64_t time_ns) {
  Operation operation;
  operation.what = What::kFreeLost;
  operation.kind = Kind::kFree;
  operation.thread = thread;
  operation.time_ns = time_ns;
  fill_in(operation, block);
  if (!held_.empty()) {
    hold(operation, false);
    release(false);
  } else if (has_birth_ahead(operation)) {
    numbered_[block].dies_at_birth = true;
  } else {
    tell(operation);
  }
}

}  // namespace heapledger
