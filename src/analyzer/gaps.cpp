#include "analyzer/gaps.h"

#include "format/entry_decoder.h"
#include "format/modes.h"

namespace heapledger {
namespace {

using format::kModeLive;
using format::kModeSample;
using format::kModeTrace;

bool enters_blocks(uint64_t mode) {
  return mode == kModeTrace || mode == kModeSample || mode == kModeLive;
}

}  // namespace

void Gaps::change(uint64_t time, std::string_view fields) {
  format::FieldReader reader(fields);
  uint64_t scope, mode;
  if (!reader.number(scope) || !reader.number(mode)) return;
  if (scope != 0) {
    if (!enters_blocks(mode) && enters_blocks(mode_)) ++count_;
    return;
  }
  if (mode == mode_) return;
  // Whatever is sampled is followed in trace mode, too; not the other way round.
  bool follows = mode_ == kModeSample && mode == kModeTrace;
  if (enters_blocks(mode_) && !follows) {
    ++count_;
    open_ = true;
    since_ = time;
  }
  if (enters_blocks(mode) && open_) {
    units_ += time > since_ ? time - since_ : 0;
    open_ = false;
  }
  mode_ = mode;
}

}  // namespace heapledger
