// What users write: moments, filters, groups, measures, suppressions; and what is recognised in
// names. Expected values are from the documentation of each.
#include <gtest/gtest.h>

#include "analyzer/error.h"
#include "analyzer/query.h"
#include "analyzer/query/classes.h"
#include "analyzer/query/wrappers.h"

namespace heapledger {
namespace {

template <typename Act>
std::string refusal(Act&& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kQuestion);
    return error.what();
  }
  return "accepted";
}

TEST(Moments, AreReadAsWritten) {
  using Kind = MomentSpec::Kind;
  EXPECT_EQ(parse_moment("peak").kind, Kind::kPeak);
  EXPECT_EQ(parse_moment("rss-peak").kind, Kind::kRssPeak);
  EXPECT_EQ(parse_moment("start").kind, Kind::kStart);
  EXPECT_EQ(parse_moment("end").kind, Kind::kEnd);
  EXPECT_EQ(parse_moment("1.5s").time_ns, 1'500'000'000u);
  EXPECT_EQ(parse_moment("200ms").time_ns, 200'000'000u);
  EXPECT_EQ(parse_moment("3ns").time_ns, 3u);
  EXPECT_EQ(parse_moment("2min").time_ns, 120'000'000'000u);
  EXPECT_EQ(parse_moment("12.5%").percent, 12.5);
  EXPECT_EQ(parse_moment("loaded").kind, Kind::kMarker);
  EXPECT_EQ(parse_moment("marker:end").marker, "end");
}

TEST(Moments, RefusalsSayWhatIsAllowed) {
  for (const char* text : {"1.5", "5 parsecs", "1e3x"}) {
    std::string why = refusal([&] { parse_moment(text); });
    EXPECT_NE(why.find(text), std::string::npos);
    EXPECT_NE(why.find("1.5s"), std::string::npos);
  }
  EXPECT_NE(refusal([] { parse_moment("120%"); }).find("100%"), std::string::npos);
  EXPECT_NE(refusal([] { parse_moment(""); }).find("rss-peak"), std::string::npos);
}

TEST(Moments, AreWrittenAsTheyAreRead) {
  for (const char* text : {"start", "peak", "rss-peak", "end", "1500ns", "50%", "marker:x"}) {
    EXPECT_EQ(to_text(parse_moment(text)), text);
  }
}

TEST(Filters, EveryConditionIsRead) {
  Filter filter = parse_filter(
      "size>=1k,thread=worker*,function=!std::*,lifetime<1ms,module=libfoo*,time=1s..2s");
  EXPECT_EQ(filter.size.least, 1024u);
  EXPECT_EQ(filter.size.most, UINT64_MAX);
  EXPECT_EQ(filter.threads.in, std::vector<std::string>{"worker*"});
  EXPECT_EQ(filter.functions.out, std::vector<std::string>{"std::*"});
  EXPECT_EQ(filter.lifetime_ns.most, 999'999u);
  EXPECT_EQ(filter.modules.in, std::vector<std::string>{"libfoo*"});
  EXPECT_EQ(filter.time_ns.least, 1'000'000'000u);
  EXPECT_EQ(filter.time_ns.most, 2'000'000'000u);
}

TEST(Filters, ConditionsOnOneNumberNarrowIt) {
  Filter filter = parse_filter("size>16, size<=1.5M, size>10");
  EXPECT_EQ(filter.size.least, 17u);
  EXPECT_EQ(filter.size.most, 1'572'864u);
}

TEST(Filters, SizesAndDurationsAreThoseOfAllOptions) {
  EXPECT_EQ(parse_filter("size>=512KiB").size.least, 524'288u);
  EXPECT_EQ(parse_filter("size>=1g").size.least, 1u << 30);
  EXPECT_EQ(parse_filter("lifetime>=2min").lifetime_ns.least, 120'000'000'000u);
  EXPECT_EQ(parse_filter("lifetime=never").lifetime_ns, (Bounds{UINT64_MAX, UINT64_MAX}));
  EXPECT_EQ(parse_filter("lifetime<never").lifetime_ns, (Bounds{0, UINT64_MAX - 1}));
  EXPECT_EQ(parse_filter("time>=1h").time_ns.least, 3'600'000'000'000u);
}

TEST(Filters, CommasInsideBracketsBelongToTheName) {
  Filter filter = parse_filter("function=f(int, long),function=!map<a, b>,size=8");
  EXPECT_EQ(filter.functions.in, std::vector<std::string>{"f(int, long)"});
  EXPECT_EQ(filter.functions.out, std::vector<std::string>{"map<a, b>"});
  EXPECT_EQ(filter.size.least, 8u);
  EXPECT_EQ(filter.size.most, 8u);
}

TEST(Filters, MoreRanksMayFollow) {
  const Filter filter = parse_filter("rank=0,8-15,size=8,host=node1");
  EXPECT_EQ(filter.ranks.in, (std::vector<std::string>{"0", "8-15"}));
  EXPECT_EQ(filter.hosts.in, std::vector<std::string>{"node1"});
  EXPECT_EQ(parse_filter("rank!=3,4,5").ranks.out, (std::vector<std::string>{"3", "4", "5"}));
  EXPECT_EQ(parse_ranks("8-15"), (Bounds{8, 15}));
  EXPECT_NE(refusal([] { parse_filter("size=8,9"); }).find("9"), std::string::npos);
  EXPECT_NE(refusal([] { parse_filter("rank=9-8"); }).find("9-8"), std::string::npos);
  EXPECT_NE(refusal([] { parse_filter("rank=two"); }).find("two"), std::string::npos);
  EXPECT_NE(refusal([] { parse_filter("rank<3"); }).find("rank<3"), std::string::npos);
}

TEST(Filters, RefusalsNameTheWord) {
  EXPECT_NE(refusal([] { parse_filter("size>1k,colour=red"); }).find("colour"), std::string::npos);
  EXPECT_NE(refusal([] { parse_filter("size>lots"); }).find("cannot read 'lots' as a size"),
            std::string::npos);
  EXPECT_NE(refusal([] { parse_filter("lifetime<5"); }).find("lifetime<5"), std::string::npos);
  EXPECT_NE(refusal([] { parse_filter("thread<5"); }).find("thread<5"), std::string::npos);
  EXPECT_NE(refusal([] { parse_filter("time=2s..1s"); }).find("time=2s..1s"), std::string::npos);
  EXPECT_NE(refusal([] { parse_filter("size<0"); }).find("nothing is smaller"), std::string::npos);
  EXPECT_NE(refusal([] { parse_filter("size=1,,size=2"); }).find("empty"), std::string::npos);
  EXPECT_NE(refusal([] { parse_filter("function="); }).find("empty"), std::string::npos);
  EXPECT_NE(refusal([] { parse_filter("size!=3"); }).find("size!=3"), std::string::npos);
}

TEST(Filters, NothingIsNoCondition) {
  Filter filter = parse_filter("");
  EXPECT_FALSE(filter.on_blocks());
  EXPECT_FALSE(filter.on_stacks());
}

TEST(Filters, PatternsMatchPartsOrAsGlobsTheWhole) {
  EXPECT_TRUE(matches("push", "std::vector<int>::push_back"));
  EXPECT_FALSE(matches("push*", "std::vector<int>::push_back"));
  EXPECT_TRUE(matches("*push*", "std::vector<int>::push_back"));
  EXPECT_TRUE(matches("worker?", "worker1"));
  EXPECT_FALSE(matches("worker?", "worker12"));
}

TEST(Words, GroupsAndMeasuresAreListedInRefusals) {
  EXPECT_EQ(parse_group_by("size-class"), GroupBy::kSizeClass);
  EXPECT_EQ(parse_measure("moved"), Measure::kMovedBytes);
  EXPECT_NE(refusal([] { parse_group_by("colour"); }).find("function"), std::string::npos);
  EXPECT_NE(refusal([] { parse_measure("weight"); }).find("temporary"), std::string::npos);
}

TEST(Suppressions, MatchAsLeakSanitizerDoes) {
  EXPECT_TRUE(suppression_matches("foo", "a::foo(int)"));
  EXPECT_TRUE(suppression_matches("f*o", "fungo!"));
  EXPECT_FALSE(suppression_matches("^foo", "a::foo"));
  EXPECT_TRUE(suppression_matches("^foo", "foo::a"));
  EXPECT_TRUE(suppression_matches("foo$", "a::foo"));
  EXPECT_FALSE(suppression_matches("foo$", "foo(int)"));
  EXPECT_TRUE(suppression_matches("^foo$", "foo"));
  EXPECT_FALSE(suppression_matches("^foo$", "foofoo"));
  EXPECT_TRUE(suppression_matches("^a*z$", "abz abz"));
  EXPECT_TRUE(suppression_matches("lib*.so$", "/usr/lib/libx.so"));
  EXPECT_TRUE(suppression_matches("*", ""));
}

TEST(Suppressions, FilesHaveCommentsAndErrorsHaveLines) {
  Suppressions suppressions;
  suppressions.add("# known\nleak:foo\n\n  leak:bar*baz  \n");
  ASSERT_EQ(suppressions.all().size(), 2u);
  EXPECT_EQ(suppressions.all()[1].pattern, "bar*baz");
  EXPECT_NE(refusal([&] { suppressions.add("leak:a\nrace:b\n"); }).find("line 2"),
            std::string::npos);
  Suppressions built_in = Suppressions::built_in();
  EXPECT_FALSE(built_in.all().empty());
  for (const Suppression& one : built_in.all()) EXPECT_TRUE(one.built_in);
}

TEST(Wrappers, NamesAreFoundInSignatures) {
  EXPECT_EQ(qualified_name("void std::vector<int, std::allocator<int> >::f<int>(int&&)"),
            "std::vector<int, std::allocator<int> >::f<int>");
  EXPECT_EQ(qualified_name("operator new(unsigned long)"), "operator new");
  EXPECT_EQ(qualified_name("(anonymous namespace)::load(int)"), "(anonymous namespace)::load");
  EXPECT_EQ(qualified_name("a::b::operator()(int) const"), "a::b::operator()");
  EXPECT_EQ(qualified_name("main"), "main");
  EXPECT_EQ(qualified_name("<alloc::vec::Vec<T> as core::clone::Clone>::clone"),
            "<alloc::vec::Vec<T> as core::clone::Clone>::clone");
}

TEST(Wrappers, AllocatorsAndLibrariesAreNotToBlame) {
  for (const char* name :
       {"operator new(unsigned long)", "operator new[](unsigned long)", "xmalloc", "g_malloc0",
        "PyMem_RawMalloc", "PyObject_Malloc", "alloc::raw_vec::finish_grow", "__rust_alloc",
        "std::__cxx11::basic_string<char>::_M_create(unsigned long&, unsigned long)",
        "void std::vector<int>::_M_realloc_insert<int>(int&&)",
        "__gnu_cxx::new_allocator<int>::allocate(unsigned long, void const*)"}) {
    EXPECT_TRUE(is_wrapper(name, "/usr/bin/app")) << name;
  }
  for (const char* name : {"main", "my::allocator(int)", "stdlike::f()", "parse(std::string)",
                           "MyClass::operator new_thing()", "mallocate"}) {
    EXPECT_FALSE(is_wrapper(name, "/usr/bin/app")) << name;
  }
  EXPECT_TRUE(is_wrapper("", "/lib/x86_64-linux-gnu/libc.so.6"));
  EXPECT_TRUE(is_wrapper("", "/usr/lib/libstdc++.so.6.0.30"));
  EXPECT_FALSE(is_wrapper("", "/usr/lib/libcurl.so.4"));
}

TEST(Histograms, BucketsHoldWhatBelongsThere) {
  for (uint64_t value : {0ull, 1ull, 15ull, 16ull, 17ull, 1000ull, 123456789ull, ~0ull}) {
    unsigned bucket = Histogram::bucket_of(value);
    EXPECT_LT(bucket, Histogram::kBuckets);
    EXPECT_LE(Histogram::lowest_in(bucket), value);
    EXPECT_GE(Histogram::highest_in(bucket), value);
  }
  for (unsigned bucket = 0; bucket + 1 < Histogram::kBuckets; ++bucket) {
    EXPECT_EQ(Histogram::highest_in(bucket) + 1, Histogram::lowest_in(bucket + 1));
  }
}

// As the manual has them.
TEST(Classes, HaveRoundBoundsAndTheirNames) {
  using enum GroupBy;
  const std::vector<std::pair<uint64_t, std::string>> lifetimes = {
      {0, "under 1 us"},
      {999, "under 1 us"},
      {1'000, "1 us to <10 us"},
      {99'999, "10 us to <100 us"},
      {100'000, "100 us to <1 ms"},
      {1'000'000, "1 ms to <10 ms"},
      {10'000'000, "10 ms to <100 ms"},
      {999'999'999, "100 ms to <1 s"},
      {1'000'000'000, "1 s to <10 s"},
      {59'999'999'999, "10 s to <1 min"},
      {60'000'000'000, "1 min to <10 min"},
      {600'000'000'000, "10 min to <1 h"},
      {3'600'000'000'000, "1 h and more"},
      {kNeverFreed, "never freed"},
  };
  for (const auto& [ns, name] : lifetimes) EXPECT_EQ(class_text(kLifetimeClass, ns), name);
  const std::vector<std::pair<uint64_t, std::string>> sizes = {
      {0, "0 B"},
      {1, "1 B"},
      {3, "2 B to <4 B"},
      {512, "512 B to <1 KiB"},
      {1023, "512 B to <1 KiB"},
      {1 << 20, "1 MiB to <2 MiB"},
      {UINT64_MAX, "8 EiB and more"},
  };
  for (const auto& [bytes, name] : sizes) EXPECT_EQ(class_text(kSizeClass, bytes), name);
}

TEST(Classes, FollowOneAnotherWithoutGaps) {
  auto check = [](uint32_t count, auto bounds_of, auto class_of) {
    uint64_t next = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const ClassBounds bounds = bounds_of(i);
      EXPECT_EQ(bounds.from, next);
      EXPECT_EQ(class_of(bounds.from), i);
      EXPECT_EQ(class_of(bounds.below - (i + 1 < count ? 1 : 0)), i);
      next = bounds.below;
    }
    EXPECT_EQ(next, kNoUpperBound);
  };
  check(kSizeClassCount, bounds_of_size_class, class_of_size);
  check(kLifetimeClassCount, bounds_of_lifetime_class, class_of_lifetime);
}

TEST(Histograms, QuantilesAreWithinASixteenth) {
  Histogram histogram;
  for (uint64_t i = 1; i <= 100'000; ++i) histogram.add(i * 7);
  for (double share : {0.01, 0.25, 0.5, 0.9, 0.99}) {
    double exact = 100'000 * share * 7;
    EXPECT_NEAR(static_cast<double>(histogram.quantile(share)), exact, exact / 16);
  }
  EXPECT_EQ(histogram.smallest(), 7u);
  EXPECT_EQ(histogram.largest(), 700'000u);
  EXPECT_EQ(histogram.mean(), 350'003u);
  EXPECT_EQ(histogram.by_power_of_two()[3], 1u);  // 7 alone is from 4 to 7
}

}  // namespace
}  // namespace heapledger
