#include "analyzer/gaps.h"

#include "format/entry_decoder.h"
#include "format/modes.h"

namespace heapledger {
namespace {

using format::kModeLive;
using format::kModeSample;
using format::kModeTrace;

constexpr size_t kMostTimes = 1000;

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
    if (closed_.size() < kMostTimes && time > since_) closed_.push_back({since_, time});
  }
  mode_ = mode;
}

std::vector<Gap> Gaps::times(uint64_t end) const {
  std::vector<Gap> all = closed_;
  if (open_ && all.size() < kMostTimes && end > since_) all.push_back({since_, end});
  return all;
}

}  // namespace heapledger
