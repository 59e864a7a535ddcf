#include "analyzer/query/difference_missing.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <unordered_map>

#include "analyzer/query/difference_align.h"

namespace heapledger {
namespace {

constexpr size_t kMostInside = 4;        // frames missing inside of what is blamed for want of them
constexpr size_t kMostCandidates = 200;  // that one unit is compared with
constexpr double kAlikeEnough = 0.9;

using Chain = std::vector<MatchUnit::Frame>;

bool has(const Chain& chain, uint32_t name) {
  return std::any_of(chain.begin(), chain.end(),
                     [name](const MatchUnit::Frame& frame) { return frame.name == name; });
}

// Whether `part` is `whole` but for functions that it has nowhere; recursion is not such a thing.
bool is_part(const Chain& part, const Chain& whole) {
  if (part.size() >= whole.size()) return false;
  size_t next = 0;
  for (const MatchUnit::Frame& frame : whole) {
    if (next < part.size() && frame.name == part[next].name) {
      ++next;
    } else if (has(part, frame.name)) {
      return false;
    }
  }
  return next == part.size();
}

AlignedLine figures_of(const MatchUnit& unit) {
  return {unit.line, unit.calls, unit.bytes};
}

// The better one of two is the smaller.
struct Candidate {
  double unlike;
  size_t missing;
  int64_t moved;  // the line of the innermost function that both have
  MissingPair pair;

  auto order() const { return std::tuple(unlike, missing, moved, pair.lacking, pair.whole); }
};

class MissingSearch {
 public:
  MissingSearch(const std::vector<MatchUnit>& units, const std::vector<uint32_t>& numbers)
      : units_(units), numbers_(numbers) {}

  std::vector<MissingPair> run() {
    for (uint8_t whole : {uint8_t{0}, uint8_t{1}}) look_among(whole);
    std::sort(found_.begin(), found_.end(),
              [](const Candidate& a, const Candidate& b) { return a.order() < b.order(); });
    std::vector<char> taken(units_.size());
    std::vector<MissingPair> pairs;
    for (const Candidate& candidate : found_) {
      const MissingPair& pair = candidate.pair;
      if (taken[pair.lacking] != 0 || taken[pair.whole] != 0) continue;
      taken[pair.lacking] = taken[pair.whole] = 1;
      pairs.push_back(pair);
    }
    return pairs;
  }

 private:
  bool takes_part(uint32_t number) const {
    return units_[number].moved && !units_[number].chain.empty();
  }

  void look_among(uint8_t whole_side) {
    std::unordered_map<uint32_t, std::vector<uint32_t>> by_name;
    for (uint32_t i : numbers_) {
      if (units_[i].side != whole_side || !takes_part(i)) continue;
      const Chain& chain = units_[i].chain;
      for (size_t f = 0; f < std::min(chain.size(), kMostInside + 1); ++f) {
        std::vector<uint32_t>& list = by_name[chain[f].name];
        if (list.size() < kMostCandidates && (list.empty() || list.back() != i)) list.push_back(i);
      }
    }
    for (uint32_t i : numbers_) {
      if (units_[i].side == whole_side || !takes_part(i)) continue;
      auto found = by_name.find(units_[i].chain.front().name);
      if (found == by_name.end()) continue;
      for (uint32_t whole : found->second) consider(i, whole);
    }
  }

  void consider(uint32_t lacking, uint32_t whole) {
    const MatchUnit& a = units_[lacking];
    const MatchUnit& b = units_[whole];
    if (a.entry != b.entry || !is_part(a.chain, b.chain)) return;
    const double alike = likeness(figures_of(a), figures_of(b));
    const uint32_t name = a.chain.front().name;
    if (b.chain.front().name != name && alike < kAlikeEnough) return;
    auto inner = std::find_if(b.chain.begin(), b.chain.end(),
                              [name](const MatchUnit::Frame& frame) { return frame.name == name; });
    found_.push_back({1 - alike,
                      b.chain.size() - a.chain.size(),
                      std::abs(int64_t{a.line} - int64_t{inner->line}),
                      {lacking, whole}});
  }

  const std::vector<MatchUnit>& units_;
  const std::vector<uint32_t>& numbers_;
  std::vector<Candidate> found_;
};

}  // namespace

std::vector<MissingPair> find_missing(const std::vector<MatchUnit>& units,
                                      const std::vector<uint32_t>& numbers) {
  return MissingSearch(units, numbers).run();
}

}  // namespace heapledger
