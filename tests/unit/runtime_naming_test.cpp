// The file name pattern, as the manual describes it.
#include <gtest/gtest.h>

#include <string>

#include "runtime/ledger/naming.h"

namespace heapledger::runtime {
namespace {

const NameFacts kFacts = {"prog", "box", "77.queue", "3", 42, 1700000000};

std::string expanded(const char* pattern, const NameFacts& facts = kFacts) {
  PathText path;
  return expand_pattern(pattern, facts, "/here", path) ? path.data() : "refused";
}

std::string numbered(const char* path, unsigned number) {
  PathText given;
  PathText result;
  given.add(path);
  return numbered_name(given, number, result) ? result.data() : "refused";
}

TEST(Naming, DefaultPatternIsBelowTheCurrentFolder) {
  EXPECT_EQ(expanded("%e.%p.ledger"), "/here/prog.42.ledger");
}

TEST(Naming, AbsolutePatternStaysWhereItIs) {
  EXPECT_EQ(expanded("/there/%h-%t.ledger"), "/there/box-1700000000.ledger");
}

TEST(Naming, TwoPercentSignsAreOne) {
  EXPECT_EQ(expanded("/a%%b"), "/a%b");
}

TEST(Naming, UnknownLetterIsRefused) {
  EXPECT_EQ(expanded("/a%q"), "refused");
}

TEST(Naming, JobAndRank) {
  EXPECT_EQ(expanded("/%j/%r.ledger"), "/77.queue/3.ledger");
}

TEST(Naming, PercentAtTheEndIsRefused) {
  EXPECT_EQ(expanded("/a%"), "refused");
}

TEST(Naming, SlashesInFactsDoNotMakeFolders) {
  EXPECT_EQ(expanded("/%e", {"../../etc/passwd", "", "", "", 1, 1}), "/.._.._etc_passwd");
}

TEST(Naming, TooLongIsRefused) {
  EXPECT_EQ(expanded(std::string(5000, 'x').c_str()), "refused");
}

TEST(Naming, NumberGoesBeforeTheEnding) {
  EXPECT_EQ(numbered("/a/x.ledger", 2), "/a/x.2.ledger");
}

TEST(Naming, NumberGoesLastWithoutTheEnding) {
  EXPECT_EQ(numbered("/a/x", 13), "/a/x.13");
}

}  // namespace
}  // namespace heapledger::runtime
