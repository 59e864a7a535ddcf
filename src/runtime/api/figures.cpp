#include "runtime/api/figures.h"

#include "runtime/modes/choose_mode.h"
#include "runtime/modes/statistics.h"

namespace heapledger::runtime {
namespace {

static_assert(HEAPLEDGER_SIZE_CLASSES == format::kSizeClasses);

// What all threads had at the last clear. Of two clears at once either may win, word by word.
constinit Statistics cleared = {};

uint64_t since_clear(uint64_t now, const uint64_t& then) {
  return now - __atomic_load_n(&then, __ATOMIC_RELAXED);
}

// A thread that has done nothing yet has done nothing.
bool read(Statistics& now, bool this_thread) {
  return read_statistics(now, this_thread) || (this_thread && statistics_wanted());
}

}  // namespace

bool figures_now(heapledger_figures& figures, bool this_thread) {
  Statistics now;
  if (!read(now, this_thread)) return false;
  Statistics own;
  if (this_thread) read_own_at_clear(own);
  const Statistics& then = this_thread ? own : cleared;
  figures.calls = since_clear(now.calls, then.calls);
  figures.frees = since_clear(now.frees, then.frees);
  figures.resizes = since_clear(now.resizes, then.resizes);
  figures.bytes = since_clear(now.bytes, then.bytes);
  figures.live_blocks = now.live_blocks;
  figures.live_bytes = now.live_bytes;
  figures.peak_bytes = now.peak_bytes;
  for (unsigned i = 0; i < format::kSizeClasses; ++i) {
    figures.sizes[i] = since_clear(now.sizes[i], then.sizes[i]);
  }
  return true;
}

void clear_figures() {
  Statistics now;
  if (!read_statistics(now, false)) return;
  auto set = [](uint64_t& field, uint64_t value) {
    __atomic_store_n(&field, value, __ATOMIC_RELAXED);
  };
  set(cleared.calls, now.calls);
  set(cleared.frees, now.frees);
  set(cleared.resizes, now.resizes);
  set(cleared.bytes, now.bytes);
  for (unsigned i = 0; i < format::kSizeClasses; ++i) set(cleared.sizes[i], now.sizes[i]);
  restart_figures();
}

void remember_figures(heapledger_scope& scope) {
  keep_statistics();
  Statistics now;
  scope.at_begin[0] = read(now, true) ? 1 : 0;
  scope.at_begin[1] = now.calls;
  scope.at_begin[2] = now.bytes;
  scope.at_begin[3] = now.frees;
  scope.at_begin[4] = static_cast<uint64_t>(now.live_blocks);
  scope.at_begin[5] = static_cast<uint64_t>(now.live_bytes);
}

bool figures_since(const heapledger_scope& scope, heapledger_scope_figures& figures) {
  Statistics now;
  if (scope.at_begin[0] == 0 || !read(now, true)) return false;
  figures.calls = now.calls - scope.at_begin[1];
  figures.bytes = now.bytes - scope.at_begin[2];
  figures.frees = now.frees - scope.at_begin[3];
  figures.live_blocks = now.live_blocks - static_cast<int64_t>(scope.at_begin[4]);
  figures.live_bytes = now.live_bytes - static_cast<int64_t>(scope.at_begin[5]);
  return true;
}

}  // namespace heapledger::runtime
