// Differences between random histories: every figure as the model has it, and sums that agree.
#include <gtest/gtest.h>

#include <map>

#include "analyzer/query/difference.h"
#include "query_bytes.h"
#include "query_world.h"

namespace heapledger {
namespace {

constexpr Compared kSums[] = {Compared::kLive,  Compared::kBlocks,  Compared::kCalls,
                              Compared::kBytes, Compared::kUnfreed, Compared::kTemporary};

DifferenceQuestion by(GroupBy group) {
  DifferenceQuestion question;
  question.by = group;
  return question;
}

using Stacks = std::map<std::string, test::Sums>;

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string stack_text(const test::World& world, uint32_t site) {
  std::string text;
  for (const test::Place& place : world.stack(site)) {
    text += place.function + "@" + base_name(place.file) + "|";
  }
  return text;
}

std::string stack_text(const std::vector<NamedFrame>& stack) {
  std::string text;
  for (const NamedFrame& frame : stack) text += frame.function + "@" + base_name(frame.file) + "|";
  return text;
}

Stacks model(const test::World& world, test::Cut cut) {
  Stacks stacks;
  for (const test::Block& block : world.blocks()) stacks[stack_text(world, block.site)];
  for (auto& [text, sums] : stacks) {
    sums = world.at(cut, [&, name = text](const test::Block& block) {
      return stack_text(world, block.site) == name;
    });
  }
  return stacks;
}

void expect_side(const SideFigures& side, const Stacks& at_peak, const Stacks& at_end,
                 const std::string& text) {
  auto found = at_peak.find(text);
  ASSERT_EQ(side.there, found != at_peak.end()) << text;
  if (!side.there) return;
  EXPECT_EQ(side.live_bytes, found->second.live_bytes);
  EXPECT_EQ(side.live_blocks, found->second.live_blocks);
  EXPECT_EQ(side.calls, found->second.calls);
  EXPECT_EQ(side.bytes, found->second.bytes);
  EXPECT_EQ(side.temporary_calls, found->second.temporary);
  EXPECT_EQ(side.never_freed_bytes, at_end.at(text).live_bytes);
  EXPECT_EQ(side.never_freed_blocks, at_end.at(text).live_blocks);
  if (side.has_peak) {
    EXPECT_EQ(side.peak_bytes, found->second.peak_bytes);
  }
}

TEST(Difference, SitesOfRandomHistoriesAreAsTheModelHasThem) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    test::World one(seed, 1, 300);
    test::World two(seed + 100, 2, 400);
    Ledgers old = test::open_bytes(one.files());
    Ledgers now = test::open_bytes(two.files());
    old.use_symbols(&one.symbols());
    now.use_symbols(&two.symbols());
    Difference all = compare(old, now, {});
    Stacks old_peak = model(one, one.peak()), old_end = model(one, test::kEnd);
    Stacks new_peak = model(two, two.peak()), new_end = model(two, test::kEnd);
    Stacks both = old_peak;
    both.insert(new_peak.begin(), new_peak.end());
    EXPECT_EQ(all.rows.size(), both.size());
    for (const ChangeRow& row : all.rows) {
      std::string text =
          stack_text(row.after.there ? now.frames(row.site_after) : old.frames(row.site_before));
      expect_side(row.before, old_peak, old_end, text);
      expect_side(row.after, new_peak, new_end, text);
    }
  }
}

TEST(Difference, ChangesOfAllGroupsAddUpToThatOfTheWhole) {
  constexpr GroupBy kGroups[] = {GroupBy::kSite,   GroupBy::kOwner, GroupBy::kFunction,
                                 GroupBy::kFile,   GroupBy::kLine,  GroupBy::kModule,
                                 GroupBy::kThread, GroupBy::kSize,  GroupBy::kSizeClass};
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    test::World one(seed, 2, 300);
    test::World two(seed + 50, 1, 300);
    Ledgers old = test::open_bytes(one.files());
    Ledgers now = test::open_bytes(two.files());
    old.use_symbols(&one.symbols());
    now.use_symbols(&two.symbols());
    for (GroupBy group : kGroups) {
      SCOPED_TRACE(name_of(group));
      Difference all = compare(old, now, by(group));
      EXPECT_EQ(all.came + all.went + all.grew + all.shrank + all.same, all.groups);
      for (Compared measure : kSums) {
        uint64_t before = 0;
        uint64_t after = 0;
        for (const ChangeRow& row : all.rows) {
          before += value_of(row.before, measure);
          after += value_of(row.after, measure);
        }
        EXPECT_EQ(before, value_of(all.before, measure)) << name_of(measure);
        EXPECT_EQ(after, value_of(all.after, measure)) << name_of(measure);
      }
      Difference none = compare(old, old, by(group));
      EXPECT_EQ(none.same, none.groups);
    }
  }
}

}  // namespace
}  // namespace heapledger
