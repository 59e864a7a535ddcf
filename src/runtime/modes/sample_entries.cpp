#include "runtime/modes/sample_entries.h"

#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/modes/sample_choice.h"
#include "runtime/modes/sampled_blocks.h"
#include "runtime/unwind/site.h"
#include "runtime/unwind/site_trie.h"

namespace heapledger::runtime {

using format::Kind;

namespace {

// weigh=time: measures what we take for ourselves, so that it is not taken for the program's.
class OwnTime {
 public:
  OwnTime() : from_(settings_in_force.weigh_time && can_record() ? now_ns() : 0) {}
  ~OwnTime() {
    if (from_ != 0 && sampler.clock_ns != 0) sampler.clock_ns += now_ns() - from_;
  }
  OwnTime(const OwnTime&) = delete;
  OwnTime& operator=(const OwnTime&) = delete;

  // Enters how long the thread was busy since its last sample; the next one begins here.
  void enter(Window& window, uint64_t time) {
    constexpr size_t kBytes = format::LongEntry::kLongOverhead + 10;
    if (from_ == 0 || !room_for(window, kBytes)) return;
    uint64_t since = sampler.clock_ns;  // 0: nobody has asked for times until now
    if (since != 0 && from_ > since) {
      format::LongEntry(window.encoder, Kind::kSampleTime, time).number(from_ - since).finish();
    }
    sampler.clock_ns = from_;
  }

 private:
  uint64_t from_;
};

void remember_last(const void* block) {
  sampler.last_block = block;
  sampler.drawn = sampler.left;
}

}  // namespace

void enter(const Sample& sample, const void* block, const Caller& caller) {
  OwnTime own;
  EntryGuard guard;
  if (!guard) return;
  Window& window = *guard;
  if (!add_sampled(address(block))) {
    ++window.extent->missed;
    return;
  }
  uint64_t time = stamp(window);
  uint32_t site = site_for(window, caller, time, sample.size);
  own.enter(window, time);
  switch (sample.kind) {
    case Kind::kMalloc:
      format::append_malloc(window.encoder, time, address(block), site, sample.size);
      break;
    case Kind::kPosixMemalign:
    case Kind::kAlignedAlloc:
    case Kind::kMemalign:
      format::append_aligned(window.encoder, sample.kind, time, address(block), site, sample.size,
                             sample.alignment);
      break;
    default:
      format::append_allocation(window.encoder, sample.kind, time, address(block), site,
                                sample.size);
  }
  remember_last(block);
}

// A reader takes a block for temporary that its thread freed at once: when the entries of the two
// follow one another. Here there may have been calls between them that were not entered; then
// the free of no block tells so.
void enter_free(Kind kind, const void* block, uint64_t time) {
  OwnTime own;
  EntryGuard guard;
  if (!guard) return;
  if (time == 0) time = stamp(*guard);
  format::EncoderState& encoder = (*guard).encoder;
  if (sampler.last_block == block && sampler.left != sampler.drawn) {
    format::append_free(encoder, time, 0);
  }
  if (kind == Kind::kFree) {
    format::append_free(encoder, time, address(block));
  } else {
    format::append_other_free(encoder, kind, time, address(block));
  }
  sampler.last_block = nullptr;
}

void enter_resize(Kind kind, uint64_t begin, const void* old_block, const void* block, size_t size,
                  const Caller& caller) {
  OwnTime own;
  EntryGuard guard;
  if (!guard) return;
  Window& window = *guard;
  uint32_t site = kNoSite;
  if (old_block == nullptr) begin = stamp(window);
  if (block != nullptr && !add_sampled(address(block))) {
    ++window.extent->missed;
    block = nullptr;
    if (old_block == nullptr) return;
  }
  // All of it is entered with the earlier time: nothing may move the clock past `begin`.
  if (block != nullptr) {
    site = site_for(window, caller, begin, size);
    own.enter(window, begin);
  }
  uint64_t end = now_units();
  format::append_resize(window.encoder, kind, begin, address(old_block), end, address(block), site,
                        block != nullptr ? size : 0);
  remember_last(block);
}

}  // namespace heapledger::runtime
