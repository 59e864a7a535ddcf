#include "analyzer/query/classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace heapledger {
namespace {

constexpr uint64_t kMicrosecond = 1'000;
constexpr uint64_t kMillisecond = 1'000 * kMicrosecond;
constexpr uint64_t kSecond = 1'000 * kMillisecond;
constexpr uint64_t kMinute = 60 * kSecond;

// What is shorter than a microsecond is as long as recording it takes.
constexpr std::array<uint64_t, kLifetimeClassCount> kLifetimeBounds = {
    0,
    kMicrosecond,
    10 * kMicrosecond,
    100 * kMicrosecond,
    kMillisecond,
    10 * kMillisecond,
    100 * kMillisecond,
    kSecond,
    10 * kSecond,
    kMinute,
    10 * kMinute,
    60 * kMinute,
};

struct BoundUnit {
  const char* name;
  uint64_t size;
};
constexpr std::array kSizeUnits = {
    BoundUnit{"EiB", uint64_t{1} << 60},
    BoundUnit{"PiB", uint64_t{1} << 50},
    BoundUnit{"TiB", uint64_t{1} << 40},
    BoundUnit{"GiB", uint64_t{1} << 30},
    BoundUnit{"MiB", uint64_t{1} << 20},
    BoundUnit{"KiB", uint64_t{1} << 10},
    BoundUnit{"B", 1},
};
constexpr std::array kTimeUnits = {
    BoundUnit{"h", 60 * kMinute},  BoundUnit{"min", kMinute},     BoundUnit{"s", kSecond},
    BoundUnit{"ms", kMillisecond}, BoundUnit{"us", kMicrosecond}, BoundUnit{"ns", 1},
};

template <size_t kCount>
std::string in_units(const std::array<BoundUnit, kCount>& units, uint64_t bound) {
  for (const BoundUnit& unit : units) {
    if (bound >= unit.size) return fmt::format("{} {}", bound / unit.size, unit.name);
  }
  return fmt::format("0 {}", units.back().name);
}

std::string range_text(GroupBy by, ClassBounds bounds) {
  if (bounds.below == kNoUpperBound) return bound_text(by, bounds.from) + " and more";
  if (bounds.from == 0) return "under " + bound_text(by, bounds.below);
  return bound_text(by, bounds.from) + " to <" + bound_text(by, bounds.below);
}

}  // namespace

uint32_t class_of_size(uint64_t bytes) {
  return static_cast<uint32_t>(std::bit_width(bytes));
}

uint32_t class_of_lifetime(uint64_t ns) {
  auto above = std::upper_bound(kLifetimeBounds.begin(), kLifetimeBounds.end(), ns);
  return static_cast<uint32_t>(above - kLifetimeBounds.begin()) - 1;
}

ClassBounds bounds_of_size_class(uint32_t number) {
  if (number == 0) return {0, 1};
  const uint64_t from = uint64_t{1} << (number - 1);
  return {from, number + 1 == kSizeClassCount ? kNoUpperBound : from * 2};
}

ClassBounds bounds_of_lifetime_class(uint32_t number) {
  const bool last = number + 1 == kLifetimeBounds.size();
  return {kLifetimeBounds[number], last ? kNoUpperBound : kLifetimeBounds[number + 1]};
}

uint32_t class_of_key(GroupBy by, uint64_t key) {
  return by == GroupBy::kSizeClass ? class_of_size(key) : class_of_lifetime(key);
}

ClassBounds bounds_of_key(GroupBy by, uint64_t key) {
  const uint32_t number = class_of_key(by, key);
  return by == GroupBy::kSizeClass ? bounds_of_size_class(number)
                                   : bounds_of_lifetime_class(number);
}

std::string class_text(GroupBy by, uint64_t key) {
  if (by == GroupBy::kLifetimeClass && key == kNeverFreed) return "never freed";
  if (by == GroupBy::kSizeClass && key < 2) return bound_text(by, key);
  return range_text(by, bounds_of_key(by, key));
}

std::string size_range_text(ClassBounds bounds) {
  return range_text(GroupBy::kSizeClass, bounds);
}

std::string bound_text(GroupBy by, uint64_t bound) {
  return by == GroupBy::kSizeClass ? in_units(kSizeUnits, bound) : in_units(kTimeUnits, bound);
}

}  // namespace heapledger
