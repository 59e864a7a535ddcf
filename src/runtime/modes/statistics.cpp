#include "runtime/modes/statistics.h"

#include "runtime/ledger/settings_in_force.h"
#include "runtime/modes/by_event.h"
#include "runtime/modes/thread_statistics.h"

namespace heapledger::runtime {
namespace {

// The functions of `kMode` with statistics on top.
template <const Mode* kMode>
struct Counted : ByEvent<Counted<kMode>> {
  template <Function function, typename... Arguments>
  HEAPLEDGER_INLINE auto below(const Caller& caller, Arguments... arguments) {
    return (kMode->*kModeMember<function>)(arguments..., caller.pc, caller.sp, caller.bp);
  }

  template <Function>
  HEAPLEDGER_INLINE void born(void* block, const Asked& asked, const Caller&) {
    add_change({asked.size, real_usable_size(block), 1, true, false, false});
  }

  template <Function>
  HEAPLEDGER_INLINE void died(void* block) {
    give_back(real_usable_size(block));
  }

  // The usable size before.
  template <Function>
  HEAPLEDGER_INLINE size_t resizing(void* old_block) {
    return real_usable_size(old_block);
  }

  template <Function>
  HEAPLEDGER_INLINE void resized(size_t before, void*, void* block, size_t size, const Caller&) {
    add_change({size, real_usable_size(block) - before, 0, true, true, false});
  }

  template <Function>
  HEAPLEDGER_INLINE void freed(size_t before, void*) {
    give_back(before);
  }

 private:
  HEAPLEDGER_INLINE void give_back(size_t bytes) {
    add_change({0, 0 - bytes, ~uint64_t{0}, false, false, true});
  }
};

template <const Mode* kMode>
constexpr Mode kCounted = make_mode<Counted<kMode>>();

struct Pair {
  const Mode* mode;
  const Mode* counted;
};
constexpr Pair kPairs[] = {
    {&kTraceMode, &kCounted<&kTraceMode>},
    {&kTraceCallersMode, &kCounted<&kTraceMode>},
    {&kOffMode, &kCounted<&kOffMode>},
    {&kCountMode, &kCounted<&kCountMode>},
    {&kLogMode, &kCounted<&kLogMode>},
    {&kSampleBytesMode, &kCounted<&kSampleBytesMode>},
    {&kSampleCallsMode, &kCounted<&kSampleCallsMode>},
    {&kLiveMode, &kCounted<&kLiveMode>},
    {&kLiveBytesMode, &kCounted<&kLiveBytesMode>},
    {&kLiveCallsMode, &kCounted<&kLiveCallsMode>},
    {&kLivePausedMode, &kCounted<&kLivePausedMode>},
};

}  // namespace

bool statistics_wanted() {
  const settings::Settings& asked = settings_in_force;
  return asked.statistics || asked.every_ns != 0 || asked.skip_smaller_than != 0;
}

const Mode* with_statistics(const Mode* mode) {
  for (const Pair& pair : kPairs) {
    if (pair.mode == mode) return pair.counted;
  }
  return mode;
}

}  // namespace heapledger::runtime
