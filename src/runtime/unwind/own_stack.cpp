#include "runtime/unwind/own_stack.h"

#include <pthread.h>
#include <sys/auxv.h>

#include "runtime/ledger/file.h"
#include "runtime/os/os.h"

namespace heapledger::runtime {
namespace {

// The kernel keeps at least this much below the top of the main stack free for it to grow into.
constexpr uint64_t kMainStackBytes = 120u << 20;
// How far a thread's first entry may be from the top of its stack, and how far later ones may be
// below the deepest so far, for the pages between to be tried.
constexpr uint64_t kMaxProbed = 2u << 20;

uint64_t page_of(uint64_t at) {
  return at & ~uint64_t{os::page_bytes() - 1};
}

// Tries the pages of [from, to). Returns the first that cannot be read, or 0.
uint64_t find_gap(uint64_t from, uint64_t to) {
  for (uint64_t page = page_of(from); page < to; page += os::page_bytes()) {
    if (!os::is_readable(reinterpret_cast<const void*>(page))) return page;
  }
  return 0;
}

}  // namespace

bool OwnStack::learn(uint64_t sp) {
  if (filter_expected() || !learn_more(sp)) return false;
  words_ = high_ - low_ < kMostKnownBytes ? (high_ - low_) / 8 : 0;
  return true;
}

bool OwnStack::learn_more(uint64_t sp) {
  return high_ == 0 ? learn_first(sp) : extend_down(sp);
}

bool OwnStack::learn_first(uint64_t sp) {
  // The name of the executable stands at the very top of the main stack.
  uint64_t main_top = getauxval(AT_EXECFN) & ~uint64_t{7};
  if (sp < main_top && main_top - sp < kMainStackBytes) {
    low_ = main_top - kMainStackBytes;
    high_ = main_top;
    return true;
  }
  // The thread's control block stands at the top of every other thread's stack.
  auto top = static_cast<uint64_t>(pthread_self());
  if (sp >= top || top - sp > kMaxProbed || find_gap(sp, top) != 0) return false;
  low_ = page_of(sp);
  high_ = top;
  return true;
}

bool OwnStack::extend_down(uint64_t sp) {
  if (sp >= low_ || low_ - sp > kMaxProbed || (gap_ >= page_of(sp) && gap_ < low_)) return false;
  uint64_t gap = find_gap(sp, low_);
  if (gap != 0) {
    gap_ = gap;
    return false;
  }
  low_ = page_of(sp);
  return true;
}

}  // namespace heapledger::runtime
