#include "runtime/unwind/stack_reader.h"

#include "runtime/os/os.h"

namespace heapledger::runtime {
namespace {

// More than this beyond what is known is no stack of ours.
constexpr uint64_t kMaxGrowth = 1 << 20;

}  // namespace

bool StackReader::grow_to(uint64_t at) {
  if (!may_probe_ || at < low_ || (at & 7) != 0 || at - low_ > high_ - low_ + kMaxGrowth) {
    return false;
  }
  uint64_t page = os::page_bytes();
  while (at + 8 > high_) {
    if (!os::is_readable(reinterpret_cast<const void*>(high_))) return false;
    high_ = (high_ / page + 1) * page;
  }
  return true;
}

}  // namespace heapledger::runtime
