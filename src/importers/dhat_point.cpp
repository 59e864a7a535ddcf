#include "importers/dhat_point.h"

#include <algorithm>
#include <array>
#include <optional>

namespace heapledger {
namespace {

constexpr uint64_t kUnlimited = uint64_t{1} << 60;

// Sums of three figures never overflow: the reader refuses figures that are that large.
uint64_t least_common(uint64_t total, uint64_t peak, uint64_t end) {
  return peak + end > total ? peak + end - total : 0;
}

// With so many blocks live at both moments: how many bytes of them? Blocks that are not there have
// no bytes, and that may leave one number only, or none.
std::optional<uint64_t> common_bytes(const DhatPoint& point, uint64_t blocks, uint64_t largest,
                                     LiveAtBoth prefer) {
  uint64_t peak = point.at_peak.bytes;
  uint64_t end = point.at_end.bytes;
  uint64_t total = point.total.bytes;
  uint64_t least = least_common(total, peak, end);
  uint64_t most = std::min(peak, end);
  if (least > most) return std::nullopt;
  auto only = [&least, &most](uint64_t bytes) {
    bool possible = bytes >= least && bytes <= most;
    if (possible) least = most = bytes;
    return possible;
  };
  if (blocks == 0 && !only(0)) return std::nullopt;
  if (blocks == point.at_peak.count && !only(peak)) return std::nullopt;
  if (blocks == point.at_end.count && !only(end)) return std::nullopt;
  if (point.at_peak.count + point.at_end.count - blocks == point.total.count) {
    // None died before: what is live at one of the moments is everything.
    if (total > peak + end || !only(peak + end - total)) return std::nullopt;
  }
  // The more is live at both moments, the more is left for those that are live at neither.
  uint64_t others = point.total.count + blocks - point.at_peak.count - point.at_end.count;
  if (others > 0 && largest < kUnlimited / others) {
    uint64_t room = others * largest + peak + end;
    if (room < total + least) return std::nullopt;
    most = std::min(most, room - total);
  }
  if (prefer == LiveAtBoth::kLittle) return least;
  // As large as the others are, as far as that is possible.
  return std::clamp(blocks == 0 ? 0 : peak / point.at_peak.count * blocks, least, most);
}

DhatLives lives_with(const DhatPoint& point, Blocks both) {
  const auto& [total, peak, end, frames] = point;
  DhatLives lives;
  lives.both = both;
  lives.peak = {peak.count - both.count, peak.bytes - both.bytes};
  lives.end = {end.count - both.count, end.bytes - both.bytes};
  lives.neither = {total.count - lives.peak.count - end.count,
                   total.bytes - lives.peak.bytes - end.bytes};
  return lives;
}

// The peak and the end are as the file has them; of the rest, what is left.
DhatLives nearest(const DhatPoint& point) {
  auto with_blocks = [](Blocks blocks) {
    if (blocks.bytes > 0) blocks.count = std::max<uint64_t>(blocks.count, 1);
    return blocks;
  };
  auto less = [](uint64_t from, uint64_t what) { return from > what ? from - what : 0; };
  DhatLives lives;
  lives.exact = false;
  lives.peak = with_blocks(point.at_peak);
  lives.end = with_blocks(point.at_end);
  lives.neither.count = less(point.total.count, lives.peak.count + lives.end.count);
  if (lives.neither.count > 0) {
    lives.neither.bytes = less(point.total.bytes, lives.peak.bytes + lives.end.bytes);
  }
  return lives;
}

}  // namespace

DhatLives solve(const DhatPoint& point, uint64_t largest, LiveAtBoth prefer) {
  uint64_t least = least_common(point.total.count, point.at_peak.count, point.at_end.count);
  uint64_t most = std::min(point.at_peak.count, point.at_end.count);
  if (least > most) return nearest(point);
  // Between the ends of the range no group is empty, and one number is as good as another; most of
  // all the highest, as it leaves the most blocks for what is live at neither moment.
  std::array candidates = {most, most - std::min<uint64_t>(most, 1), least + 1, least};
  if (prefer == LiveAtBoth::kLittle) std::reverse(candidates.begin(), candidates.end());
  for (uint64_t blocks : candidates) {
    if (blocks < least || blocks > most) continue;
    if (std::optional<uint64_t> bytes = common_bytes(point, blocks, largest, prefer)) {
      return lives_with(point, {blocks, *bytes});
    }
  }
  return nearest(point);
}

}  // namespace heapledger
