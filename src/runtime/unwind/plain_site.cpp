#include "runtime/unwind/plain_site.h"

#include <arch_registers.h>

#include "runtime/unwind/site_trie.h"
#include "runtime/unwind/unloading.h"

namespace heapledger::runtime {
namespace {

constexpr size_t kMostNewFrames = 32;  // with more, the look at each is not what costs

// A frame that is not the remembered one; its pc is in what is known of it.
struct NewFrame {
  KnownFrame* known;
  const uint64_t* slot;
};
static_assert(sizeof(NewFrame) == sizeof(MemoFrame));

const uint64_t* word_at(uint64_t at) {
  return reinterpret_cast<const uint64_t*>(at);
}

size_t bytes_between(const void* from, const void* to) {
  return static_cast<size_t>(static_cast<const char*>(to) - static_cast<const char*>(from));
}

// Of a site that has one.
const SiteNode* node_of_site(uint32_t site) {
  const SiteNode* block = site_blocks[site / kNodesPerBlock].load(std::memory_order_relaxed);
  return block + site % kNodesPerBlock;
}

const SiteNode* node_behind(uint32_t site) {
  return node_of_site(site) + 1;
}

// A child that is not `behind` its parent.
__attribute__((noinline)) uint32_t site_further_off(const StackMemo& memo, const SiteNode& behind,
                                                    uint32_t parent, uint64_t pc) {
  uint32_t site = find_sibling(behind, parent, pc);
  if (site != kNoSite) return site;
  const uint64_t key = memo.key_of(pc);
  const RecentSite& recent = memo.recent_site(parent, key);
  const bool is_recent = (recent.key == key) & (recent.parent == parent);
  return is_recent ? recent.site : kNoSite;
}

// Gives the new frames, of which the innermost is the first, their sites, from the outside in, and
// remembers the stack. Of the remembered frames those outside `offset` stay.
__attribute__((always_inline)) inline uint32_t remember_new(StackMemo& memo, uint64_t epoch,
                                                            size_t offset, const NewFrame* inner,
                                                            const NewFrame* end) {
  uint32_t* ids = memo.sites + StackMemo::place_at(offset);
  uint32_t site = ids[-1];
  // Should a handler leave this for good: what is remembered is true at any point.
  memo.count = StackMemo::place_at(offset);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  do {
    --end;
    KnownFrame& known = *end->known;
    const uint64_t pc = known.key ^ epoch;
    if (const SiteNode * behind; __builtin_expect(known.parent == site, 1)) {
      site = known.site;
    } else if (behind = node_behind(site); is_site(*behind, site, pc)) {
      ++site;
      // The next call often comes from another line of the same function.
      if (!live_tables_wanted())
        __builtin_prefetch(node_of_site(behind->next.load(std::memory_order_relaxed)));
    } else {
      uint32_t child = site_further_off(memo, *behind, site, pc);
      if (__builtin_expect(child == kNoSite, 0)) return kNoSite;
      known.parent = site;
      known.site = child;
      site = child;
    }
    memo.offset_of(end->slot) = static_cast<uint16_t>(offset);
    memo.frame_at(offset) = {pc, end->slot};
    *ids++ = site;
    offset += sizeof(MemoFrame);
  } while (end != inner);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  memo.last_count = memo.count = StackMemo::place_at(offset);
  return site;
}

}  // namespace

uint32_t site_at_hand(StackMemo& memo, uint32_t parent, uint64_t pc) {
  const SiteNode& behind = site_node(parent)[1];
  return is_site(behind, parent, pc) ? parent + 1 : site_further_off(memo, behind, parent, pc);
}

uint32_t plain_site(StackMemo& memo, uint64_t pc, uint64_t sp) {
  const uint32_t now = code_epoch.load(std::memory_order_acquire);
  if (__builtin_expect(!memo.own.knows_word(sp) || memo.plain_epoch != now, 0)) return kNoSite;
  const uint64_t epoch = memo.frame_epoch();
  const uint64_t last_slot = memo.own.high() - 8;
  uint64_t slot = sp + static_cast<uint64_t>(arch::kReturnSlot);
  size_t bound = memo.count * sizeof(MemoFrame);  // only frames outside it can be met
  NewFrame frames[kMostNewFrames];
  NewFrame* newest = frames;
  for (size_t room = kMostNewFrames; room != 0; --room) {
    const size_t offset = memo.offset_of(word_at(slot));
    const MemoFrame& met = memo.frame_at(offset);
    if (met.pc == pc && met.slot == word_at(slot) && offset < bound) {
      const MemoFrame* other = memo.disagreement(met);
      if (__builtin_expect(other == nullptr, 1)) {
        const size_t kept = offset + sizeof(MemoFrame);
        if (newest == frames) {
          memo.last_count = memo.count = StackMemo::place_at(kept);
          return memo.sites[StackMemo::place_at(offset)];
        }
        const bool fits = kept + bytes_between(frames, newest) <= memo.capacity_bytes;
        if (__builtin_expect(!fits || is_unloading(), 0)) return kNoSite;
        return remember_new(memo, epoch, kept, frames, newest);
      }
      bound = bytes_between(memo.frames(), other);
    }
    KnownFrame& known = memo.known_frame(pc, word_at(slot));
    const uint64_t caller = slot + known.caller;
    if (__builtin_expect(known.key != (pc ^ epoch), 0)) return kNoSite;
    if (__builtin_expect(caller > last_slot, 0)) return kNoSite;
    *newest++ = {&known, word_at(slot)};
    slot = caller;
    pc = *word_at(slot);
  }
  return kNoSite;
}

}  // namespace heapledger::runtime
