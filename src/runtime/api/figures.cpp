#include "runtime/api/figures.h"

#include "runtime/modes/choose_mode.h"
#include "runtime/modes/statistics.h"

namespace heapledger::runtime {
namespace {

static_assert(HEAPLEDGER_SIZE_CLASSES == format::kSizeClasses);

// A thread that has done nothing yet has done nothing.
bool read(Statistics& now, bool this_thread) {
  return read_statistics(now, this_thread) || (this_thread && statistics_wanted());
}

}  // namespace

bool figures_now(heapledger_figures& figures, bool this_thread) {
  Statistics now;
  if (!read(now, this_thread)) return false;
  Statistics then;
  read_at_clear(then, this_thread);
  figures.calls = now.calls - then.calls;
  figures.frees = now.frees - then.frees;
  figures.resizes = now.resizes - then.resizes;
  figures.bytes = now.bytes - then.bytes;
  figures.live_blocks = now.live_blocks;
  figures.live_bytes = now.live_bytes;
  figures.peak_bytes = now.peak_bytes;
  for (unsigned i = 0; i < format::kSizeClasses; ++i) {
    figures.sizes[i] = now.sizes[i] - then.sizes[i];
  }
  return true;
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
