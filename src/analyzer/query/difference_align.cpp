#include "analyzer/query/difference_align.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace heapledger {
namespace {

constexpr size_t kMostCells = size_t{1} << 20;

// What a pair is worth: a little in any case, since a function that has one line on each side has
// the same one; much when nothing has changed; and something when it moved as far as others.
constexpr double kPair = 1;
constexpr double kAlike = 2;
constexpr double kUnchanged = 2;
constexpr double kMovedAlike = 0.5;
constexpr double kNothing = -1;  // less than to be alone

double share(double a, double b) {
  double most = std::max(a, b);
  return most == 0 ? 1 : std::min(a, b) / most;
}

double average(const AlignedLine& line) {
  return line.calls == 0 ? 0 : static_cast<double>(line.bytes) / static_cast<double>(line.calls);
}

bool is_unchanged(const AlignedLine& a, const AlignedLine& b) {
  return a.calls == b.calls && a.bytes == b.bytes;
}

int64_t moved_by(const AlignedLine& a, const AlignedLine& b) {
  return static_cast<int64_t>(b.line) - static_cast<int64_t>(a.line);
}

using Lines = std::vector<AlignedLine>;

// How far most of them moved, if what is alike belongs together.
int64_t usual_move(const Lines& before, const Lines& after) {
  std::map<int64_t, double> votes;
  for (const AlignedLine& a : before) {
    for (const AlignedLine& b : after) {
      votes[moved_by(a, b)] += likeness(a, b) + (is_unchanged(a, b) ? 1 : 0);
    }
  }
  int64_t usual = 0;
  double most = 0;
  for (auto [move, vote] : votes) {
    bool nearer = vote == most && std::abs(move) < std::abs(usual);
    if (vote > most || nearer) {
      usual = move;
      most = vote;
    }
  }
  return usual;
}

std::vector<std::pair<size_t, size_t>> same_lines(const Lines& before, const Lines& after,
                                                  const MayAlign& may) {
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0, j = 0; i < before.size() && j < after.size();) {
    const bool same = before[i].line == after[j].line;
    if (same && may(before[i].line, after[j].line)) pairs.emplace_back(i, j);
    bool next_before = before[i].line <= after[j].line;
    bool next_after = after[j].line <= before[i].line;
    if (next_before) ++i;
    if (next_after) ++j;
  }
  return pairs;
}

}  // namespace

double likeness(const AlignedLine& a, const AlignedLine& b) {
  return share(static_cast<double>(a.calls), static_cast<double>(b.calls)) *
         share(average(a), average(b));
}

// The pairs that are worth most together and do not cross, as one finds the longest common part of
// two texts.
std::vector<std::pair<size_t, size_t>> align_lines(const Lines& before, const Lines& after,
                                                   const MayAlign& may) {
  if (before.empty() || after.empty()) return {};
  if (before.size() * after.size() > kMostCells) return same_lines(before, after, may);
  const int64_t usual = usual_move(before, after);
  auto worth = [&](size_t i, size_t j) {
    if (!may(before[i].line, after[j].line)) return kNothing;
    auto off = static_cast<double>(std::abs(moved_by(before[i], after[j]) - usual));
    return kPair + kAlike * likeness(before[i], after[j]) +
           (is_unchanged(before[i], after[j]) ? kUnchanged : 0) + kMovedAlike / (1 + off);
  };
  const size_t width = after.size() + 1;
  std::vector<double> best((before.size() + 1) * width);  // of what is from (i, j) on
  for (size_t i = before.size(); i-- > 0;) {
    for (size_t j = after.size(); j-- > 0;) {
      best[i * width + j] = std::max({best[(i + 1) * width + j + 1] + worth(i, j),
                                      best[(i + 1) * width + j], best[i * width + j + 1]});
    }
  }
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0, j = 0; i < before.size() && j < after.size();) {
    const double here = best[i * width + j];
    if (here == best[(i + 1) * width + j]) {
      ++i;
    } else if (here == best[i * width + j + 1]) {
      ++j;
    } else {
      pairs.emplace_back(i++, j++);
    }
  }
  return pairs;
}

}  // namespace heapledger
