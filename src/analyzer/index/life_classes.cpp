#include "analyzer/index/life_classes.h"

#include "analyzer/query/classes.h"

namespace heapledger {
namespace {

using BoundsOf = ClassBounds (*)(uint32_t);

// Of two classes whose bounds have to be those of what is selected.
std::optional<ClassRange> range_of(uint32_t first, uint32_t last, const Bounds& bounds,
                                   BoundsOf bounds_of) {
  const bool begins = bounds.least == bounds_of(first).from;
  const uint64_t below = bounds_of(last).below;
  const bool ends = bounds.most == below - 1 || (below == kNoUpperBound && bounds.most == below);
  if (!begins || !ends || first > last) return std::nullopt;
  return ClassRange{static_cast<uint8_t>(first), static_cast<uint8_t>(last)};
}

}  // namespace

std::optional<ClassRange> size_classes_of(const Bounds& bytes) {
  // No block is larger than all numbers but one; but if one was, it would be of the last class.
  if (bytes.most == kNoUpperBound - 1) return std::nullopt;
  return range_of(class_of_size(bytes.least), class_of_size(bytes.most), bytes,
                  bounds_of_size_class);
}

std::optional<ClassRange> lifetime_classes_of(const Bounds& ns) {
  constexpr auto kNever = static_cast<uint8_t>(kLifetimeClassCount);
  const bool also_never = ns.most == UINT64_MAX;
  if (ns.least == UINT64_MAX) {
    return also_never ? std::optional(ClassRange{kNever, kNever}) : std::nullopt;
  }
  const uint64_t most = also_never ? UINT64_MAX - 1 : ns.most;
  std::optional<ClassRange> range = range_of(class_of_lifetime(ns.least), class_of_lifetime(most),
                                             {ns.least, most}, bounds_of_lifetime_class);
  if (range && also_never) range->last = kNever;
  return range;
}

bool can_choose(const Filter& filter, const Lives& lives) {
  return lives.edges.count > 0 && filter.time_ns.is_open() && size_classes_of(filter.size) &&
         lifetime_classes_of(filter.lifetime_ns);
}

}  // namespace heapledger
