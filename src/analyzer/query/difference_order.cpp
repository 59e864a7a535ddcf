#include "analyzer/query/difference_order.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "analyzer/query/classes.h"

namespace heapledger {
namespace {

uint64_t* counter_of(ChangeKind kind, Difference& difference) {
  switch (kind) {
    case ChangeKind::kCame:
      return &difference.came;
    case ChangeKind::kWent:
      return &difference.went;
    case ChangeKind::kGrew:
      return &difference.grew;
    case ChangeKind::kShrank:
      return &difference.shrank;
    case ChangeKind::kSame:
      break;
  }
  return &difference.same;
}

// The one that changed most in the direction of the whole.
void choose_blame(Difference& difference) {
  std::unordered_map<std::string_view, int64_t> blames;
  for (const ChangeRow& row : difference.rows) blames[row.name] += row.change(Compared::kLive);
  bool down = difference.after.live_bytes < difference.before.live_bytes;
  Blame& blame = difference.blame;
  for (const auto& [name, bytes] : blames) {
    bool more = down ? bytes < blame.bytes : bytes > blame.bytes;
    bool tied = bytes != 0 && bytes == blame.bytes && name < blame.name;
    if (more || tied) blame = {std::string(name), bytes};
  }
}

uint64_t size_of(int64_t change) {
  return change < 0 ? -static_cast<uint64_t>(change) : static_cast<uint64_t>(change);
}

void sort_rows(Difference& difference, const DifferenceQuestion& question) {
  auto weight = [&question](const ChangeRow& row) {
    return std::tuple(size_of(row.change(question.sort)), size_of(row.change(Compared::kLive)),
                      size_of(row.change(Compared::kBytes)), size_of(row.change(Compared::kCalls)));
  };
  auto larger = [&](const ChangeRow& a, const ChangeRow& b) {
    auto x = weight(a);
    auto y = weight(b);
    if (x != y) return x > y;
    return a.name != b.name
               ? a.name < b.name
               : std::pair(a.site_before, a.site_after) < std::pair(b.site_before, b.site_after);
  };
  std::vector<ChangeRow>& rows = difference.rows;
  size_t top = std::min(question.top, rows.size());
  std::partial_sort(rows.begin(), rows.begin() + static_cast<long>(top), rows.end(), larger);
  rows.resize(top);
  if (!is_by_class(question.by)) return;
  std::sort(rows.begin(), rows.end(),
            [](const ChangeRow& a, const ChangeRow& b) { return a.key < b.key; });
}

}  // namespace

void order_rows(Difference& difference, const DifferenceQuestion& question) {
  std::erase_if(difference.rows,
                [](const ChangeRow& row) { return !row.before.there && !row.after.there; });
  difference.groups = difference.rows.size();
  for (const ChangeRow& row : difference.rows) {
    ++*counter_of(row.kind(question.sort), difference);
  }
  choose_blame(difference);
  sort_rows(difference, question);
}

}  // namespace heapledger
