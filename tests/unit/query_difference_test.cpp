// Differences: what is matched with what, and that every figure is right. They are of two
// small builds and worked out by hand.
#include <gtest/gtest.h>

#include "analyzer/error.h"
#include "analyzer/query/difference.h"
#include "cli_check_builds.h"

namespace heapledger {
namespace {

using test::Build;
using test::new_build;
using test::old_build;

constexpr Compared kSums[] = {Compared::kLive,  Compared::kBlocks,  Compared::kCalls,
                              Compared::kBytes, Compared::kUnfreed, Compared::kTemporary};

DifferenceQuestion by(GroupBy group, Compared sort = Compared::kLive) {
  DifferenceQuestion question;
  question.by = group;
  question.sort = sort;
  return question;
}

Difference compare_builds(Build& before, Build& after, const DifferenceQuestion& question = {}) {
  Ledgers old = before.open();
  Ledgers now = after.open();
  return compare(old, now, question);
}

const ChangeRow& row_of(const Difference& difference, const std::string& name) {
  static const ChangeRow kNone;
  for (const ChangeRow& row : difference.rows) {
    if (row.name == name) return row;
  }
  ADD_FAILURE() << "no row " << name;
  return kNone;
}

TEST(Difference, TotalsAreThoseOfBothSides) {
  Difference all = compare_builds(*old_build(), *new_build());
  EXPECT_EQ(all.before.live_bytes, 300u);
  EXPECT_EQ(all.after.live_bytes, 1600u);
  EXPECT_EQ(all.before.peak_bytes, 300u);
  EXPECT_EQ(all.after.peak_bytes, 1600u);
  EXPECT_EQ(all.before.calls, 5u);
  EXPECT_EQ(all.after.calls, 5u);
  EXPECT_EQ(all.before.bytes, 350u);
  EXPECT_EQ(all.before.never_freed_bytes, 30u);
  EXPECT_EQ(all.after.never_freed_bytes, 1030u);
  EXPECT_EQ(all.before.temporary_calls, 1u);
  EXPECT_EQ(all.rss_before, 4096u);
  EXPECT_EQ(all.rss_after, 8192u);
}

TEST(Difference, SitesAreMatchedAcrossBuildsWithoutLines) {
  Difference all = compare_builds(*old_build(), *new_build());
  // main > parse; main > parse > parse; libz; draw; save.
  ASSERT_EQ(all.groups, 5u);
  EXPECT_EQ(all.rows[0].name, "save()");
  EXPECT_EQ(all.rows[0].kind(Compared::kLive), ChangeKind::kCame);
  EXPECT_EQ(all.rows[0].change(Compared::kLive), 1000);
  EXPECT_EQ(all.rows[0].change(Compared::kUnfreed), 1000);
  EXPECT_EQ(all.rows[1].name, "parse(Input&)");  // two lines of it in the new one
  EXPECT_EQ(all.rows[1].before.live_bytes, 200u);
  EXPECT_EQ(all.rows[1].after.live_bytes, 500u);
  EXPECT_EQ(all.rows[1].kind(Compared::kLive), ChangeKind::kGrew);
  EXPECT_EQ(all.came, 1u);
  EXPECT_EQ(all.went, 1u);
  EXPECT_EQ(all.grew, 1u);
  EXPECT_EQ(all.same, 2u);
  EXPECT_EQ(row_of(all, "draw()").kind(Compared::kLive), ChangeKind::kWent);
  EXPECT_EQ(row_of(all, "draw()").change(Compared::kTemporary), -1);
}

TEST(Difference, PeaksOfSeveralSitesAreUnknownNotAdded) {
  Difference all = compare_builds(*old_build(), *new_build());
  EXPECT_TRUE(all.rows[0].is_known(Compared::kPeak));
  EXPECT_EQ(all.rows[0].change(Compared::kPeak), 1000);
  EXPECT_TRUE(is_known(all.rows[1].before, Compared::kPeak));
  EXPECT_FALSE(is_known(all.rows[1].after, Compared::kPeak));
  EXPECT_EQ(all.rows[1].change(Compared::kPeak), 0);
}

TEST(Difference, RecursionIsNotTheSameAsNone) {
  Build before("one");
  before.take(100, 2);
  Build after("two", 0x1000);
  after.take(100, 4);
  Difference all = compare_builds(before, after);
  EXPECT_EQ(all.groups, 2u);
  EXPECT_EQ(all.came + all.went, 2u);
}

TEST(Difference, InlinedFramesTellSitesApart) {
  Build before("one");
  before.take(250, 4);  // main > parse > parse
  Build after("two", 0x1000);
  after.take(100, 8);  // main > parse > parse > copy
  EXPECT_EQ(compare_builds(before, after).came, 1u);
  Build same("one");
  same.take(40, 8);
  Difference grown = compare_builds(same, after);
  ASSERT_EQ(grown.groups, 1u);
  EXPECT_EQ(grown.rows[0].name, "copy()");
  EXPECT_EQ(grown.rows[0].change(Compared::kLive), 60);
}

TEST(Difference, OwnersAreLinesOfFunctionsWhereverTheyMoved) {
  Difference all = compare_builds(*old_build(), *new_build(), by(GroupBy::kOwner));
  // parse from the first line, by recursion, and from the last one, which is new; libz; draw; save.
  ASSERT_EQ(all.groups, 6u);
  EXPECT_EQ(all.came, 2u);
  EXPECT_EQ(all.went, 1u);
  size_t lines = 0;
  for (const ChangeRow& row : all.rows) {
    if (row.name != "parse(Input&)") continue;
    ++lines;
    EXPECT_EQ(row.file, "/new/src/parse.cpp");
    if (row.line == 20 + 0x100) {
      EXPECT_EQ(row.line_before, 20u);
      EXPECT_EQ(row.change(Compared::kLive), -100);
    } else if (row.line == 24 + 0x100) {
      EXPECT_EQ(row.line_before, 24u);
      EXPECT_EQ(row.kind(Compared::kLive), ChangeKind::kSame);
    } else {
      EXPECT_EQ(row.line, 27u + 0x100);
      EXPECT_EQ(row.kind(Compared::kLive), ChangeKind::kCame);
      EXPECT_EQ(row.change(Compared::kLive), 400);
    }
  }
  EXPECT_EQ(lines, 3u);
}

TEST(Difference, OwnersHaveTheirPeaksWhenThatIsAskedFor) {
  Build before("one");
  uint64_t first = before.take(100, 2);
  before.give(first);
  before.take(60, 2);
  before.take(30, 8);  // copy, of one stack
  before.take(20, 9);  // and another
  Build after("two", 0x1000);
  after.take(250, 2);
  after.take(30, 8);
  after.take(25, 9);
  Difference all = compare_builds(before, after, by(GroupBy::kOwner, Compared::kPeak));
  ASSERT_EQ(all.groups, 2u);
  EXPECT_EQ(all.rows[0].change(Compared::kPeak), 150);
  EXPECT_EQ(row_of(all, "copy()").before.peak_bytes, 50u);
  EXPECT_EQ(row_of(all, "copy()").after.peak_bytes, 55u);
  EXPECT_EQ(row_of(all, "copy()").stacks_after, 2u);
}

TEST(Difference, AFunctionMayBeInlinedInOneBuildAlone) {
  Build before("one");
  before.take(100, 8);  // copy, inlined into parse, called by parse
  Build after("two", 0x1000);
  after.take(40, 9);  // copy, called by parse, called by parse
  Difference all = compare_builds(before, after);
  ASSERT_EQ(all.groups, 1u);
  EXPECT_EQ(all.rows[0].change(Compared::kLive), -60);
}

TEST(Difference, FramesWithoutNamesNeedTheSameBuildId) {
  Difference same = compare_builds(*old_build(), *new_build());
  EXPECT_EQ(row_of(same, "libz.so.1+0x551").kind(Compared::kLive), ChangeKind::kSame);
  EXPECT_TRUE(same.unmatched_modules.empty());
  for (GroupBy group : {GroupBy::kSite, GroupBy::kFunction}) {
    Difference other = compare_builds(*old_build(), *new_build("other"), by(group));
    size_t rows = 0;
    for (const ChangeRow& row : other.rows) rows += row.name == "libz.so.1+0x551" ? 1 : 0;
    EXPECT_EQ(rows, 2u);
    EXPECT_EQ(other.unmatched_modules, std::vector<std::string>{"libz.so.1"});
  }
}

TEST(Difference, WithoutNamesNothingOfAnotherBuildMatches) {
  auto before = old_build();
  auto after = new_build();
  Ledgers old = before->open_without_names();
  Ledgers now = after->open_without_names();
  Difference all = compare(old, now, {});
  EXPECT_EQ(all.same + all.grew + all.shrank, 0u);
  Ledgers again = before->open_without_names();
  EXPECT_EQ(compare(old, again, {}).same, 4u);
}

TEST(Difference, FilesAndModulesAreMatchedThoughTheFolderMoved) {
  Difference files = compare_builds(*old_build(), *new_build(), by(GroupBy::kFile));
  const ChangeRow& parse = row_of(files, "/new/src/parse.cpp");
  EXPECT_EQ(parse.before.live_bytes, 270u);
  EXPECT_EQ(parse.after.live_bytes, 570u);
  Difference modules = compare_builds(*old_build(), *new_build(), by(GroupBy::kModule));
  const ChangeRow& app = row_of(modules, "/new/app");
  EXPECT_EQ(app.change(Compared::kLive), 1300);
  EXPECT_EQ(app.all_after.live_bytes, 1600u);  // with what libz allocates for it
  EXPECT_EQ(modules.groups, 2u);
}

TEST(Difference, FunctionsHaveTheirOwnAndAllBelow) {
  Difference all = compare_builds(*old_build(), *new_build(), by(GroupBy::kFunction));
  const ChangeRow& parse = row_of(all, "parse(Input&)");
  EXPECT_EQ(parse.change(Compared::kLive), 300);
  EXPECT_FALSE(parse.is_known(Compared::kPeak));
  const ChangeRow& main = row_of(all, "main");
  EXPECT_EQ(main.change(Compared::kLive), 0);
  EXPECT_EQ(change_of(main.all_before.live_bytes, main.all_after.live_bytes), 1300);
  Difference peaks =
      compare_builds(*old_build(), *new_build(), by(GroupBy::kFunction, Compared::kPeak));
  EXPECT_EQ(row_of(peaks, "main").change(Compared::kPeak), 1300);
  EXPECT_EQ(peaks.rows[0].name, "main");
}

TEST(Difference, SizesAndThreadsAreMatchedByWhatTheyAre) {
  Difference sizes = compare_builds(*old_build(), *new_build(), by(GroupBy::kSizeClass));
  for (const ChangeRow& row : sizes.rows) {
    if (row.key != 64) continue;  // 64 to 127: 100, 100, 70; then 100, 70
    EXPECT_EQ(row.change(Compared::kLive), -100);
    EXPECT_EQ(row.change(Compared::kCalls), -1);
  }
  Difference threads = compare_builds(*old_build(), *new_build(), by(GroupBy::kThread));
  ASSERT_EQ(threads.groups, 1u);  // another number, the same name
  EXPECT_EQ(threads.rows[0].change(Compared::kLive), 1300);
}

TEST(Difference, BlameIsOfTheFunctionThatChangedMost) {
  Difference up = compare_builds(*old_build(), *new_build());
  EXPECT_EQ(up.blame.name, "save()");
  EXPECT_EQ(up.blame.bytes, 1000);
  Difference down = compare_builds(*new_build(), *old_build());
  EXPECT_EQ(down.blame.name, "save()");
  EXPECT_EQ(down.blame.bytes, -1000);
}

TEST(Difference, OrderFollowsTheMeasure) {
  Difference calls =
      compare_builds(*old_build(), *new_build(), by(GroupBy::kFunction, Compared::kCalls));
  EXPECT_EQ(calls.rows[0].name, "save()");  // +1, and more bytes than draw's -1
  EXPECT_EQ(calls.rows[1].name, "draw()");
  DifferenceQuestion one = by(GroupBy::kSite, Compared::kUnfreed);
  one.top = 1;
  Difference top = compare_builds(*old_build(), *new_build(), one);
  ASSERT_EQ(top.rows.size(), 1u);
  EXPECT_EQ(top.groups, 5u);
}

TEST(Difference, MomentsOfOneHaveWhatHadHappenedByThen) {
  Build build("one");
  uint64_t a = build.take(100, 2);
  build.mark("half");
  build.take(40, 2);
  build.give(a);
  build.take(7, 3);
  Ledgers ledgers = build.open();
  Difference all = compare_moments(ledgers, parse_moment("half"), parse_moment("end"), {});
  EXPECT_TRUE(all.same_ledgers);
  EXPECT_EQ(all.before.live_bytes, 100u);
  EXPECT_EQ(all.after.live_bytes, 47u);
  EXPECT_EQ(all.before.calls, 1u);
  EXPECT_EQ(all.after.calls, 3u);
  EXPECT_EQ(all.before.peak_bytes, 100u);
  EXPECT_EQ(all.after.peak_bytes, 140u);
  EXPECT_EQ(row_of(all, "draw()").kind(Compared::kLive), ChangeKind::kCame);
  EXPECT_EQ(row_of(all, "parse(Input&)").change(Compared::kLive), -60);
  EXPECT_FALSE(is_known(all.after, Compared::kUnfreed));
  Difference back = compare_moments(ledgers, parse_moment("end"), parse_moment("half"), {});
  EXPECT_EQ(row_of(back, "parse(Input&)").change(Compared::kLive), 60);
}

TEST(Difference, AtTheStartThereIsNothing) {
  auto build = old_build();
  Ledgers ledgers = build->open();
  Difference all = compare_moments(ledgers, parse_moment("start"), parse_moment("end"), {});
  EXPECT_EQ(all.before.calls, 0u);
  EXPECT_EQ(all.after.calls, 5u);
  EXPECT_EQ(all.came, all.groups);
  EXPECT_EQ(all.groups, 4u);
}

TEST(Difference, WrongGroupsAndMeasuresAreRefused) {
  EXPECT_THROW(compare_builds(*old_build(), *new_build(), by(GroupBy::kLedger)), Error);
  EXPECT_THROW(parse_compared("lives"), Error);
  for (Compared measure : kSums) EXPECT_EQ(parse_compared(name_of(measure)), measure);
}

TEST(Difference, ChangesStopAtTheEndsOfTheType) {
  EXPECT_EQ(change_of(0, UINT64_MAX), INT64_MAX);
  EXPECT_EQ(change_of(UINT64_MAX, 0), -INT64_MAX);
  EXPECT_EQ(change_of(7, 5), -2);
}

}  // namespace
}  // namespace heapledger
