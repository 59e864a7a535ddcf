// By what the groups of two sets of ledgers are matched. A stack is its list of functions with the
// base names of their files, recursion as it is, inlined ones like all others; lines are left out,
// since they move from build to build. A frame without a name is its module's base name and offset
// where the build ids agree, and matches nothing where they do not. A thread is its name. Keys are
// exact: numbers that are equal when the texts are, no hashes.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/query.h"

namespace heapledger {

class DifferenceKeys {
 public:
  // The same ledgers may be given twice.
  DifferenceKeys(Ledgers& before, Ledgers& after, GroupBy by);

  // The key of a row that one side's answer has.
  uint32_t key(size_t side, const Row& row);

  // For groups that are called by a path: what to match by where the whole path matches nothing.
  // Empty when there is no such thing.
  std::string weak_key(const Row& row) const;

  const std::set<std::string>& unmatched_modules() const { return unmatched_; }

 private:
  using Pair = std::pair<uint32_t, uint32_t>;
  struct PairHash {
    size_t operator()(const Pair& pair) const {
      uint64_t sum = (uint64_t{pair.first} << 32 | pair.second) * 0x9E3779B97F4A7C15ull;
      return static_cast<size_t>(sum ^ (sum >> 29));
    }
  };
  struct Place {
    uint64_t address;
    uint32_t module;
    bool operator==(const Place&) const = default;
  };
  struct PlaceHash {
    size_t operator()(const Place& place) const {
      uint64_t sum = (place.address ^ uint64_t{place.module} << 48) * 0x9E3779B97F4A7C15ull;
      return static_cast<size_t>(sum ^ (sum >> 29));
    }
  };
  struct Side {
    Ledgers* ledgers = nullptr;
    std::unordered_map<Place, std::vector<uint32_t>, PlaceHash> places;
    std::vector<uint32_t> stacks;  // by node of the catalog; kUnknown: not made yet
    std::map<std::string, std::set<std::string>> build_ids;  // by base name
  };
  static constexpr uint32_t kUnknown = UINT32_MAX;

  uint32_t text_key(const std::string& text);
  uint32_t stack_key(size_t side, uint32_t site);
  const std::vector<uint32_t>& place_keys(size_t side, uint32_t site);
  std::string frame_text(size_t side, const NamedFrame& frame);
  std::string unnamed(size_t side, const std::string& name, const std::string& module);
  bool agree(const std::string& module) const;

  GroupBy by_;
  bool same_;
  Side sides_[2];
  std::unordered_map<std::string, uint32_t> texts_;
  std::unordered_map<Pair, uint32_t, PairHash> stacks_;
  uint32_t next_ = 1;
  std::set<std::string> unmatched_;
};

}  // namespace heapledger
