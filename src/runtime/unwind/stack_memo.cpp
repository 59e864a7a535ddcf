#include "runtime/unwind/stack_memo.h"

#include <cstring>

#include "runtime/os/os.h"
#include "runtime/os/together.h"
#include "runtime/unwind/modules.h"

namespace heapledger::runtime {

constinit uint32_t depth_limit = 256;
HEAPLEDGER_TOGETHER constinit std::atomic<uint32_t> code_epoch{0};

namespace {

// Memory that is handed out piece by piece.
class Pieces {
 public:
  explicit Pieces(void* memory) : at_(reinterpret_cast<uintptr_t>(memory)) {}
  template <typename T>
  T* take(size_t count) {
    auto* piece = reinterpret_cast<T*>(at_);
    at_ += (sizeof(T) * count + 63) & ~size_t{63};
    return piece;
  }
  size_t taken() const { return at_; }  // of no memory: how much is needed

 private:
  uintptr_t at_;
};

StackMemo* lay_out(Pieces& pieces) {
  size_t depth = depth_limit;
  auto* memo = pieces.take<StackMemo>(1);
  auto* outside = pieces.take<MemoFrame>(StackMemo::kStride + depth);  // memo->frames()
  auto* root = pieces.take<uint32_t>(1 + depth);
  auto* needs = pieces.take<uint8_t>(depth);
  auto* spans = pieces.take<PointerSpan>(depth);
  auto* fresh = pieces.take<MemoFrame>(depth);
  auto* uses = pieces.take<PointerUse>(depth + 1);
  auto* reference = pieces.take<uint64_t>(depth);
  auto* callers = pieces.take<CallerSites>(depth == 1 ? 1 : 0);
  auto* recent_sites = pieces.take<RecentSite>(size_t{1} << StackMemo::kFirstSiteBits);
  if (memo == nullptr) return nullptr;
  memo->capacity = depth_limit;
  memo->capacity_bytes = depth_limit * sizeof(MemoFrame);
  memo->cut_step = depth_limit < kLeastStepped ? 0 : depth_limit / 4;
  memo->sites = root + 1;
  memo->needs = needs;
  memo->spans = spans;
  memo->fresh = fresh;
  memo->uses = uses;
  memo->reference = reference;
  memo->callers = depth == 1 ? callers : nullptr;
  memo->recent_sites = recent_sites;
  memo->site_shift = 32 - StackMemo::kFirstSiteBits;
  for (uint32_t i = 0; i < StackMemo::kStride; ++i) outside[i].slot = &outside[i].pc;
  return memo;
}

}  // namespace

void grow_sites(StackMemo& memo) {
  memo.site_misses = 0;
  if (memo.site_shift == 32 - StackMemo::kMostSiteBits || filter_expected()) return;
  auto* larger =
      static_cast<RecentSite*>(os::map_private(2 * memo.sites_in_use() * sizeof(RecentSite)));
  if (larger == nullptr) return;  // the smaller one will do
  RecentSite* smaller = memo.recent_sites;
  const size_t bytes = memo.sites_in_use() * sizeof(RecentSite);
  const bool is_first = memo.site_shift == 32 - StackMemo::kFirstSiteBits;
  // A signal handler may leave for good at any point: then, too, all places are mapped.
  memo.recent_sites = larger;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  --memo.site_shift;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (!is_first) os::unmap(smaller, bytes);  // that one is a part of the memo
}

uint32_t new_epoch_number() {
  HEAPLEDGER_TOGETHER static constinit std::atomic<uint32_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void begin_epoch() {
  code_epoch.exchange(new_epoch_number(), std::memory_order_acq_rel);
}

void keep_row(StackMemo& memo, uint64_t pc, const Row& row) {
  if (may_be_replaced(pc)) return;
  memo.kept_row(pc) = {memo.key_of(pc), row.packed()};
}

uint64_t shared_row(StackMemo& memo, uint64_t pc) {
  if (may_be_replaced(pc)) {
    memo.expire();
    return compute_row(pc, memo.scratch).packed();
  }
  uint64_t row = row_at(pc, memo.scratch);
  // Ignorance is not kept: a module may be loaded there later.
  if (Row known = Row::unpack(row); known.kind != RowKind::kUnknown) keep_row(memo, pc, known);
  return row;
}

uint64_t row_of_frame(StackMemo& memo, KnownFrame& known, uint64_t pc) {
  const uint64_t packed = recent_row(memo, pc);
  if (memo.kept_row(pc).key != memo.key_of(pc)) return packed;  // not to be kept
  const uint64_t key = memo.frame_key(pc);
  const Row row = Row::unpack(packed);
  const bool is_plain = row.kind == RowKind::kStack;
  if (known.key == key && !is_plain) return packed;
  known.key = key;
  known.parent = KnownFrame::kNoParent;
  known.caller = is_plain ? static_cast<uint32_t>(row.cfa_offset) : KnownFrame::kNoCaller;
  known.saved = 0;
  if (is_plain && row.frame_offset != 0) {
    known.saved = row.frame_offset - static_cast<int32_t>(arch::kReturnSlot);
  }
  return packed;
}

void remember_uses(StackMemo& memo, uint32_t kept, uint32_t fresh, uint32_t uses) {
  uint32_t count = kept == 0 ? 0 : memo.span_of(kept - 1);
  if (memo.needs_end > kept) memset(memo.needs + kept, 0, memo.needs_end - kept);
  memo.needs_end = kept + fresh;
  // From the outside in; frame n of the walk is now at kept + fresh - 1 - n.
  while (uses-- > 0) {
    const PointerUse& use = memo.uses[uses];
    PointerSpan& span = memo.spans[count++];
    bool in_slot = use.start != 0 && use.slot != nullptr;
    span = {in_slot ? use.slot : &span.bp, use.bp, kept + fresh - 1 - use.start};
    memset(memo.needs + kept + fresh - 1 - use.user, 1, use.user - use.start + 1);
  }
  memo.span_count = count;
}

StackMemo* new_memo() {
  Pieces measure(nullptr);
  lay_out(measure);
  void* memory = os::map_private(measure.taken());
  if (memory == nullptr) return nullptr;
  Pieces pieces(memory);
  StackMemo* memo = lay_out(pieces);
  reset_memo(*memo);
  return memo;
}

void reset_memo(StackMemo& memo) {
  memo.own.reset();
  enter_epoch(memo, code_epoch.load(std::memory_order_acquire));
}

void enter_epoch(StackMemo& memo, uint32_t epoch) {
  bool keys_repeat = epoch >> 16 != (memo.epoch & ~kExpired) >> 16;
  memo.epoch = epoch;
  memo.plain_epoch = kExpired;
  memo.count = 0;
  memo.span_count = 0;
  memset(memo.needs, 0, memo.needs_end);
  memo.needs_end = 0;
  memo.set_end(StackEnd::kWhole, 0);
  if (!keys_repeat) return;
  memset(memo.rows, 0, sizeof memo.rows);
  if (memo.callers != nullptr) memset(memo.callers, 0, sizeof *memo.callers);
  memset(memo.known_frames, 0, sizeof memo.known_frames);
  memset(memo.recent_sites, 0, memo.sites_in_use() * sizeof(RecentSite));
}

}  // namespace heapledger::runtime
