#include "analyzer/query/difference_match.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "analyzer/query/difference_align.h"
#include "analyzer/query/difference_missing.h"

namespace heapledger {
namespace {

constexpr uint32_t kNobody = UINT32_MAX;

class UnitMatcher {
 public:
  explicit UnitMatcher(const std::vector<MatchUnit>& units)
      : units_(units), partner_(units.size(), kNobody) {
    out_.lacking.assign(units.size(), 0);
  }

  Matched run() {
    unite_unmoved();
    for (size_t stage = 1; stage < MatchUnit::kFirstStages; ++stage) match_by_key(stage);
    match_missing();
    for (size_t stage = MatchUnit::kFirstStages; stage < MatchUnit::kStages; ++stage) {
      match_by_key(stage);
    }
    make_rows();
    return std::move(out_);
  }

 private:
  using Numbers = std::vector<uint32_t>;
  using ByLine = std::map<uint32_t, Numbers>;
  using LinePair = std::pair<uint32_t, uint32_t>;

  std::vector<uint32_t> left() const {
    Numbers all;
    for (uint32_t i = 0; i < units_.size(); ++i) {
      if (partner_[i] == kNobody) all.push_back(i);
    }
    return all;
  }

  void match_by_key(size_t stage) {
    std::unordered_map<uint32_t, size_t> places;
    std::vector<std::array<ByLine, 2>> buckets;
    for (uint32_t i : left()) {
      const MatchUnit& unit = units_[i];
      if (unit.keys[stage] == 0 || !unit.moved) continue;
      auto [found, is_new] = places.try_emplace(unit.keys[stage], buckets.size());
      if (is_new) buckets.emplace_back();
      buckets[found->second][unit.side][unit.line].push_back(i);
    }
    for (const auto& bucket : buckets) align(bucket[0], bucket[1]);
  }

  // The first stage: all of the one side with all of the other, whatever their lines. Of two
  // moments it has all units, so it keeps no lists of them.
  void unite_unmoved() {
    using Firsts = std::array<uint32_t, 2>;  // by side
    tsl::robin_map<uint32_t, Firsts> firsts;
    for (uint32_t i = 0; i < units_.size(); ++i) {
      const MatchUnit& unit = units_[i];
      if (unit.keys[0] == 0) continue;
      uint32_t& first =
          firsts.try_emplace(unit.keys[0], Firsts{kNobody, kNobody}).first.value()[unit.side];
      if (first == kNobody) first = i;
    }
    for (uint32_t i = 0; i < units_.size(); ++i) {
      const MatchUnit& unit = units_[i];
      if (unit.keys[0] != 0) partner_[i] = firsts.find(unit.keys[0])->second[1 - unit.side];
    }
  }

  std::vector<AlignedLine> lines_of(const ByLine& by_line) const {
    std::vector<AlignedLine> lines;
    for (const auto& [line, numbers] : by_line) {
      AlignedLine& sum = lines.emplace_back();
      sum.line = line;
      for (uint32_t i : numbers) {
        sum.calls += units_[i].calls;
        sum.bytes += units_[i].bytes;
      }
    }
    return lines;
  }

  void align(const ByLine& before, const ByLine& after) {
    if (before.empty() || after.empty()) return;
    auto a = before.begin();
    auto b = after.begin();
    size_t at_a = 0;
    size_t at_b = 0;
    const uint32_t of_a = function_of(a->second.front());
    const uint32_t of_b = function_of(b->second.front());
    auto may = [&](uint32_t one, uint32_t other) { return !crosses(of_a, of_b, one, other); };
    std::vector<LinePair> lines;
    for (auto [i, j] : align_lines(lines_of(before), lines_of(after), may)) {
      for (; at_a < i; ++at_a) ++a;
      for (; at_b < j; ++at_b) ++b;
      for (uint32_t unit : a->second) partner_[unit] = b->second.front();
      for (uint32_t unit : b->second) partner_[unit] = a->second.front();
      lines.emplace_back(a->first, b->first);
    }
    std::vector<LinePair>& known = found_[of_a];
    if (of_a == of_b) known.insert(known.end(), lines.begin(), lines.end());
  }

  uint32_t function_of(uint32_t unit) const { return units_[unit].keys[MatchUnit::kFunctionStage]; }

  // Whether these lines of a function are in another order than some that belong together.
  bool crosses(uint32_t of_a, uint32_t of_b, uint32_t before, uint32_t after) const {
    if (of_a != of_b) return false;
    auto known = found_.find(of_a);
    if (known == found_.end()) return false;
    return std::any_of(known->second.begin(), known->second.end(), [&](const LinePair& pair) {
      return (before < pair.first && after > pair.second) ||
             (before > pair.first && after < pair.second);
    });
  }

  void match_missing() {
    for (const MissingPair& pair : find_missing(units_, left())) {
      partner_[pair.lacking] = pair.whole;
      partner_[pair.whole] = pair.lacking;
      // By the frame to blame alone the two are the same already.
      bool other_name =
          units_[pair.lacking].chain.front().name != units_[pair.whole].chain.front().name;
      out_.lacking[pair.lacking] = other_name ? 1 : 0;
    }
  }

  // A row is an owner of the later side, with all that belongs to it of the earlier; and those of
  // the earlier that nothing belongs to. What is left over of an owner is where the rest of it is.
  void make_rows() {
    out_.rows.assign(units_.size(), kNobody);
    for (uint32_t i = 0; i < units_.size(); ++i) {
      if (units_[i].side == 1 && out_.lacking[i] == 0) out_.rows[i] = row_of(1, units_[i].owner);
    }
    for (uint32_t i = 0; i < units_.size(); ++i) {
      if (units_[i].side == 1 || partner_[i] == kNobody) continue;
      const uint32_t row = out_.rows[partner_[i]];
      if (row == kNobody) continue;
      out_.rows[i] = row;
      if (out_.lacking[i] == 0) owners_[0].try_emplace(units_[i].owner, row);
    }
    for (uint32_t i = 0; i < units_.size(); ++i) {
      if (units_[i].side == 0 && out_.rows[i] == kNobody) out_.rows[i] = row_of(0, units_[i].owner);
    }
    for (uint32_t i = 0; i < units_.size(); ++i) {
      if (out_.rows[i] == kNobody) out_.rows[i] = out_.rows[partner_[i]];
    }
  }

  uint32_t row_of(size_t side, uint32_t owner) {
    auto [found, is_new] = owners_[side].try_emplace(owner, out_.count);
    if (is_new) ++out_.count;
    return found->second;
  }

  const std::vector<MatchUnit>& units_;
  Numbers partner_;                                            // one of them
  std::unordered_map<uint32_t, std::vector<LinePair>> found_;  // by function: lines that are pairs
  tsl::robin_map<uint32_t, uint32_t> owners_[2];
  Matched out_;
};

}  // namespace

Matched match_units(const std::vector<MatchUnit>& units) {
  return UnitMatcher(units).run();
}

}  // namespace heapledger
