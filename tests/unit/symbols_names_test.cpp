// Mangled names and paths, with expected values from the compilers' own documents and from c++filt.
#include <gtest/gtest.h>

#include <string>

#include "symbols/demangle.h"
#include "symbols/source_path.h"

namespace heapledger {
namespace {

TEST(Demangle, LeavesPlainNamesAlone) {
  EXPECT_EQ(demangle("main"), "main");
  EXPECT_EQ(demangle(""), "");
  EXPECT_EQ(demangle("_Zebra"), "_Zebra");
  EXPECT_EQ(demangle("_R"), "_R");
}

TEST(Demangle, Cxx) {
  EXPECT_EQ(demangle("_Z3foov"), "foo()");
  EXPECT_EQ(demangle("_ZN3foo3barEi"), "foo::bar(int)");
  EXPECT_EQ(demangle("_ZNSt6vectorIiSaIiEE9push_backEOi"),
            "std::vector<int, std::allocator<int> >::push_back(int&&)");
  EXPECT_EQ(demangle("_Z4workv.cold"), "work() [clone .cold]");
}

TEST(Demangle, RustLegacyWithoutItsHash) {
  EXPECT_EQ(demangle("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE"),
            "core::fmt::Formatter::pad");
  EXPECT_EQ(demangle("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
                     "3bar17h930b740aa94f1d3aE"),
            "<Test + 'static as foo::Bar<Test>>::bar");
}

// From the test suite of rustc-demangle.
TEST(Demangle, RustV0) {
  EXPECT_EQ(demangle("_RNvC6_123foo3bar"), "123foo::bar");
  EXPECT_EQ(demangle("_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y"),
            "utf8_idents::\xE1\x83\xA1\xE1\x83\x90\xE1\x83\xAD\xE1\x83\x9B\xE1\x83\x94\xE1\x83\x9A"
            "\xE1\x83\x90\xE1\x83\x93_\xE1\x83\x92\xE1\x83\x94\xE1\x83\x9B\xE1\x83\xA0\xE1\x83\x98"
            "\xE1\x83\x94\xE1\x83\x9A\xE1\x83\x98_\xE1\x83\xA1\xE1\x83\x90\xE1\x83\x93\xE1\x83\x98"
            "\xE1\x83\x9A\xE1\x83\x98");
  EXPECT_EQ(demangle("_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_"),
            "cc::spawn::{closure#0}::{closure#0}");
  EXPECT_EQ(demangle("_RINvNtC3std3mem8align_ofINtNtC5alloc3vec3VechEE"),
            "std::mem::align_of::<alloc::vec::Vec<u8>>");
}

// Each argument is twice as long as the one before; all of them would take terabytes.
TEST(Demangle, LeavesNamesThatMeanTerabytes) {
  const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string name = "_Z1f1AIiiE";
  for (const char digit : digits) {
    const std::string last = std::string("S") + digit + "_";
    name += "S_I" + last + last + "E";
  }
  EXPECT_EQ(demangle(name.c_str()), name);
  EXPECT_EQ(demangle(name.substr(0, 20).c_str()), "f(A<int, int>, A<A<int, int>, A<int, int> >)");
}

TEST(Demangle, SurvivesDeepNesting) {
  std::string name = "_Z1f";
  for (int i = 0; i < 200'000; ++i) name += 'P';
  name += 'i';
  EXPECT_LE(demangle(name.c_str()).size(), size_t{1} << 20);
  std::string rust = "_RINvC1a1b";
  for (int i = 0; i < 200'000; ++i) rust += 'R';
  rust += "hE";
  EXPECT_LE(demangle(rust.c_str()).size(), size_t{1} << 20);
}

TEST(SourcePath, Joins) {
  EXPECT_EQ(join_path("/build", "a.c"), "/build/a.c");
  EXPECT_EQ(join_path("/build/", "a.c"), "/build/a.c");
  EXPECT_EQ(join_path("/build", "/src/a.c"), "/src/a.c");
  EXPECT_EQ(join_path("", "a.c"), "a.c");
}

// As os.path.normpath in Python has them, but for "", which stays empty.
TEST(SourcePath, Normalises) {
  EXPECT_EQ(normal_path("/a/b/../c"), "/a/c");
  EXPECT_EQ(normal_path("/a/./b//c/"), "/a/b/c");
  EXPECT_EQ(normal_path("/../a"), "/a");
  EXPECT_EQ(normal_path("../../a/../b"), "../../b");
  EXPECT_EQ(normal_path("a/../../b"), "../b");
  EXPECT_EQ(normal_path("./a"), "a");
  EXPECT_EQ(normal_path("/a/b/../../.."), "/");
  EXPECT_EQ(normal_path("../a/b/../.."), "..");
  EXPECT_EQ(normal_path(""), "");
}

}  // namespace
}  // namespace heapledger
