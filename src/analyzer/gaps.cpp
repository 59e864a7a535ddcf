#include "analyzer/gaps.h"

#include "format/entry_decoder.h"

namespace heapledger {
namespace {

// As the file header has them (docs/format.md).
constexpr uint64_t kTrace = 0;
constexpr uint64_t kSample = 4;

bool enters_blocks(uint64_t mode) {
  return mode == kTrace || mode == kSample;
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
  bool follows = mode_ == kSample && mode == kTrace;
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
