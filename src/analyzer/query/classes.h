// The classes that sizes and lifetimes are told apart by, wherever they are shown: a table, a
// picture, a database, JSON. Their bounds are round, and their natural order is from the least up.
//
//   sizes       0 B, 1 B, then from a power of two to the next
//   lifetimes   under 1 us, then by tens: 1 us, 10 us … 10 s; 1 min, 10 min, 1 h; never freed
//
// A class goes from its lower bound, by which it is known, to before its upper one.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/query/answer.h"
#include "analyzer/query/question.h"

namespace heapledger {

inline constexpr uint64_t kNoUpperBound = UINT64_MAX;

struct ClassBounds {
  uint64_t from = 0;
  uint64_t below = kNoUpperBound;
};

inline constexpr uint32_t kSizeClassCount = 65;
inline constexpr uint32_t kLifetimeClassCount = 12;  // and never freed, which is no length of time

// Numbers from 0 up.
uint32_t class_of_size(uint64_t bytes);
uint32_t class_of_lifetime(uint64_t ns);
ClassBounds bounds_of_size_class(uint32_t number);
ClassBounds bounds_of_lifetime_class(uint32_t number);

// Whether the groups are such classes, and their rows in the natural order.
inline bool is_by_class(GroupBy by) {
  return by == GroupBy::kSizeClass || by == GroupBy::kLifetimeClass;
}

// Of a row's key. What was never freed has no bounds.
uint32_t class_of_key(GroupBy by, uint64_t key);
ClassBounds bounds_of_key(GroupBy by, uint64_t key);

// For people: "4 KiB to <8 KiB", "under 1 us", "1 h and more", "never freed".
std::string class_text(GroupBy by, uint64_t key);
std::string size_range_text(ClassBounds bounds);

// A bound without a fraction: "64 KiB", "100 us".
std::string bound_text(GroupBy by, uint64_t bound);

}  // namespace heapledger
