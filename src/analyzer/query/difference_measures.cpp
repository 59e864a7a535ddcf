// What is compared, and how: the parts of difference.h that need no ledgers.
#include <algorithm>
#include <array>
#include <limits>

#include "analyzer/error.h"
#include "analyzer/query/difference.h"

namespace heapledger {
namespace {

struct Names {
  Compared measure;
  std::string_view name;
};
constexpr std::array<Names, 7> kNames = {{{Compared::kLive, "live"},
                                          {Compared::kBlocks, "blocks"},
                                          {Compared::kCalls, "calls"},
                                          {Compared::kBytes, "bytes"},
                                          {Compared::kPeak, "peak"},
                                          {Compared::kUnfreed, "never-freed"},
                                          {Compared::kTemporary, "temporary"}}};

}  // namespace

Compared parse_compared(std::string_view text) {
  std::string all;
  for (const Names& one : kNames) {
    if (one.name == text) return one.measure;
    all += (all.empty() ? "" : ", ") + std::string(one.name);
  }
  throw Error("'" + std::string(text) + "' is no measure of a difference; there are: " + all,
              kExitUsage);
}

std::string_view name_of(Compared measure) {
  return kNames[static_cast<size_t>(measure)].name;
}

std::string_view name_of(ChangeKind kind) {
  constexpr std::array<std::string_view, 5> kKinds = {"same", "grew", "shrank", "came", "went"};
  return kKinds[static_cast<size_t>(kind)];
}

bool is_known(const SideFigures& side, Compared measure) {
  if (!side.there) return true;  // nothing
  if (measure == Compared::kPeak) return side.has_peak;
  return measure != Compared::kUnfreed || side.has_never_freed;
}

uint64_t value_of(const SideFigures& side, Compared measure) {
  switch (measure) {
    case Compared::kLive:
      return side.live_bytes;
    case Compared::kBlocks:
      return side.live_blocks;
    case Compared::kCalls:
      return side.calls;
    case Compared::kBytes:
      return side.bytes;
    case Compared::kPeak:
      return side.peak_bytes;
    case Compared::kUnfreed:
      return side.never_freed_bytes;
    case Compared::kTemporary:
      return side.temporary_calls;
  }
  return 0;
}

int64_t change_of(uint64_t before, uint64_t after) {
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (after >= before) return static_cast<int64_t>(std::min(after - before, kMost));
  return -static_cast<int64_t>(std::min(before - after, kMost));
}

bool ChangeRow::is_known(Compared measure) const {
  return heapledger::is_known(before, measure) && heapledger::is_known(after, measure);
}

int64_t ChangeRow::change(Compared measure) const {
  if (!is_known(measure)) return 0;
  return change_of(value_of(before, measure), value_of(after, measure));
}

ChangeKind ChangeRow::kind(Compared measure) const {
  if (!before.there) return ChangeKind::kCame;
  if (!after.there) return ChangeKind::kWent;
  int64_t by = change(measure);
  if (by == 0) return ChangeKind::kSame;
  return by > 0 ? ChangeKind::kGrew : ChangeKind::kShrank;
}

}  // namespace heapledger
