// By what the groups of two sets of ledgers are matched that are no stacks: a function, a file, a
// line, a module, a size, a thread, by what it is called. Keys are exact: numbers that are equal
// when the texts are, no hashes.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <string>
#include <unordered_map>

#include "analyzer/query.h"
#include "analyzer/query/difference_builds.h"

namespace heapledger {

// Numbers for texts, and for pairs of such numbers; never 0.
class KeyNumbers {
 public:
  uint32_t text(const std::string& text);
  uint32_t pair(uint32_t first, uint32_t second);

 private:
  struct Hash {
    size_t operator()(uint64_t pair) const {
      uint64_t sum = pair * 0x9E3779B97F4A7C15ull;
      return static_cast<size_t>(sum ^ (sum >> 29));
    }
  };
  std::unordered_map<std::string, uint32_t> texts_;
  tsl::robin_map<uint64_t, uint32_t, Hash> pairs_;
  uint32_t next_ = 1;
};

class DifferenceKeys {
 public:
  DifferenceKeys(DifferenceBuilds& builds, GroupBy by) : builds_(builds), by_(by) {}

  // The key of a row that one side's answer has.
  uint32_t key(size_t side, const Row& row);

  // What to match by where the whole name matches nothing: a path without its folder, a function
  // without its arguments. Empty when there is no such thing.
  std::string weak_key(const Row& row) const;

 private:
  DifferenceBuilds& builds_;
  GroupBy by_;
  KeyNumbers numbers_;
};

}  // namespace heapledger
