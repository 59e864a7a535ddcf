// What is compared, and how: the parts of difference.h that need no ledgers.
#include <algorithm>
#include <array>
#include <limits>

#include "analyzer/error.h"
#include "analyzer/query/difference.h"

namespace heapledger {
namespace {

constexpr std::string_view kUnfreedWord = "never-freed";

const FigureRow& row_of(Compared measure) {
  return heapledger::row_of(static_cast<Measure>(measure));
}

}  // namespace

std::vector<Compared> all_compared() {
  std::vector<Compared> all;
  for (const FigureRow& row : figure_catalog()) {
    if (row.sum != nullptr || row.measure == Measure::kPeakBytes) {
      all.push_back(static_cast<Compared>(row.measure));
    }
  }
  all.push_back(Compared::kUnfreed);
  return all;
}

Compared parse_compared(std::string_view text) {
  std::string all;
  for (Compared measure : all_compared()) {
    if (name_of(measure) == text) return measure;
    all += (all.empty() ? "" : ", ") + std::string(name_of(measure));
  }
  throw Error("unknown measure '" + std::string(text) + "' of a difference; there are: " + all,
              ErrorKind::kQuestion);
}

std::string_view name_of(Compared measure) {
  return measure == Compared::kUnfreed ? kUnfreedWord : row_of(measure).word;
}

std::string_view key_of(Compared measure) {
  return measure == Compared::kUnfreed ? "never_freed_bytes" : row_of(measure).key;
}

FigureUnit unit_of(Compared measure) {
  return measure == Compared::kUnfreed ? FigureUnit::kBytes : row_of(measure).unit;
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
  if (measure == Compared::kUnfreed) return side.never_freed_bytes;
  if (measure == Compared::kPeak) return side.peak_bytes;
  return side.*row_of(measure).sum;
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
