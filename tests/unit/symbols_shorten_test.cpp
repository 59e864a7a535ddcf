// Short names: what each rule leaves out, what it must not touch, and names of absurd size.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "symbols/shorten.h"

namespace heapledger {
namespace {

TEST(Shorten, Strings) {
  EXPECT_EQ(shorten("std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> "
                    ">::reserve(unsigned long)"),
            "std::string::reserve(unsigned long)");
  EXPECT_EQ(shorten("f[abi:cxx11](std::basic_string_view<wchar_t, std::char_traits<wchar_t> >)"),
            "f(std::wstring_view)");
  EXPECT_EQ(shorten("std::basic_ostream<char, std::char_traits<char> >& std::operator<< "
                    "<std::char_traits<char> >(std::basic_ostream<char, std::char_traits<char> >&, "
                    "char const*)"),
            "std::ostream& std::operator<< <std::char_traits<char>>(std::ostream&, char const*)");
  EXPECT_EQ(shorten("std::basic_string<char, my::traits, std::allocator<char> >"),
            "std::basic_string<char, my::traits>");
  EXPECT_EQ(shorten("std::basic_string<char, std::char_traits<char>, my::alloc>"),
            "std::basic_string<char, std::char_traits<char>, my::alloc>")
      << "a default in front of one that is not cannot be left out";
}

TEST(Shorten, EmptyPacks) {
  // As the debug information of libstdc++ spells them.
  EXPECT_EQ(shorten("std::pair<int const, char>::pair<int const&, 0ul, >(int)"),
            "std::pair<int const, char>::pair<int const&, 0ul,>(int)");
  EXPECT_EQ(shorten("f<int,>()"), "f<int,>()");
  EXPECT_EQ(shorten("std::vector<int, >::f()"), "std::vector<int,>::f()");
  EXPECT_EQ(shorten("g<>()"), "g<>()");
}

TEST(Shorten, Containers) {
  EXPECT_EQ(shorten("std::vector<int, std::allocator<int> >::push_back(int&&)"),
            "std::vector<int>::push_back(int&&)");
  EXPECT_EQ(
      shorten("std::map<int, std::vector<int, std::allocator<int> >, std::less<int>, "
              "std::allocator<std::pair<int const, std::vector<int, std::allocator<int> > > > "
              ">::~map()"),
      "std::map<int, std::vector<int>>::~map()");
  EXPECT_EQ(
      shorten("std::unordered_map<std::__cxx11::basic_string<char, std::char_traits<char>, "
              "std::allocator<char> >, int, std::hash<std::__cxx11::basic_string<char, "
              "std::char_traits<char>, std::allocator<char> > >, "
              "std::equal_to<std::__cxx11::basic_string<char, std::char_traits<char>, "
              "std::allocator<char> > >, std::allocator<std::pair<std::__cxx11::basic_string<char, "
              "std::char_traits<char>, std::allocator<char> > const, int> > >"),
      "std::unordered_map<std::string, int>");
  EXPECT_EQ(shorten("std::set<int, std::greater<int>, std::allocator<int> >"),
            "std::set<int, std::greater<int>>");
  EXPECT_EQ(shorten("std::vector<int, my::allocator<int> >"),
            "std::vector<int, my::allocator<int>>");
  EXPECT_EQ(shorten("my::vector<int, std::allocator<int> >"),
            "my::vector<int, std::allocator<int>>");
  EXPECT_EQ(shorten("std::unique_ptr<A, std::default_delete<A> >"), "std::unique_ptr<A>");
  EXPECT_EQ(shorten("void std::sort<__gnu_cxx::__normal_iterator<int*, std::vector<int, "
                    "std::allocator<int> > > >(__gnu_cxx::__normal_iterator<int const*, "
                    "std::vector<int, std::allocator<int> > >)"),
            "void std::sort<std::vector<int>::iterator>(std::vector<int>::const_iterator)");
  EXPECT_EQ(shorten("std::__1::vector<int, std::__1::allocator<int> >"), "std::vector<int>");
}

TEST(Shorten, OperatorsAndLambdas) {
  EXPECT_EQ(shorten("a::operator<(a::b, a::b)"), "a::operator<(a::b, a::b)");
  EXPECT_EQ(shorten("a::operator->() const"), "a::operator->() const");
  EXPECT_EQ(shorten("operator<=><int, std::vector<int, std::allocator<int> > >(int)"),
            "operator<=><int, std::vector<int>>(int)");
  EXPECT_EQ(shorten("a::operator()(std::vector<int, std::allocator<int> >)"),
            "a::operator()(std::vector<int>)");
  EXPECT_EQ(shorten("main::{lambda(std::vector<int, std::allocator<int> >)#1}::operator()("
                    "std::vector<int, std::allocator<int> >) const"),
            "main::{lambda(std::vector<int>)#1}::operator()(std::vector<int>) const");
  EXPECT_EQ(shorten("A<((1)<(2)), std::vector<int, std::allocator<int> > >::f()"),
            "A<((1)<(2)), std::vector<int>>::f()");
  EXPECT_EQ(shorten("B<void (*)(int, char)>::g(cooperator<int>)"),
            "B<void (*)(int, char)>::g(cooperator<int>)");
}

TEST(Shorten, Rust) {
  EXPECT_EQ(shorten("core::fmt::Formatter::pad::h0123456789abcdef"), "core::fmt::Formatter::pad");
  EXPECT_EQ(shorten("<alloc::vec::Vec<u8, alloc::alloc::Global> as core::clone::Clone>::clone"),
            "<alloc::vec::Vec<u8> as core::clone::Clone>::clone");
}

TEST(Shorten, LeavesOtherThingsAlone) {
  for (const char* name : {"", "main", "libx.so+0x1f", "a<b", "a>b", ")", ">>>", "<<<", "operator",
                           "f(", "}{", "std::vector", "std::basic_string<", "x::h0123"}) {
    EXPECT_EQ(shorten(name), name);
  }
}

TEST(Shorten, TwiceIsAsGoodAsOnce) {
  const std::string once = shorten(
      "std::vector<std::map<int, char, std::less<int>, std::allocator<std::pair<int const, "
      "char> > >, std::allocator<std::map<int, char, std::less<int>, "
      "std::allocator<std::pair<int const, char> > > > >");
  EXPECT_EQ(once, "std::vector<std::map<int, char>>");
  EXPECT_EQ(shorten(once), once);
}

// Hundreds of kilobytes, and brackets a hundred thousand deep.
TEST(Shorten, SurvivesHugeNames) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "A<";
  deep += "int";
  for (int i = 0; i < 100'000; ++i) deep += " >";
  EXPECT_EQ(shorten(deep).size(), 100'000u * 3 + 3);

  std::string nested = "int";
  while (nested.size() < 400'000) {
    nested = "std::vector<" + nested + ", std::allocator<" + nested +
             (nested.ends_with('>') ? " > >" : "> >");
  }
  const std::string flat = shorten(nested);
  EXPECT_TRUE(flat.starts_with("std::vector<std::vector<std::vector<"));
  EXPECT_LT(flat.size(), 400u);

  EXPECT_EQ(shorten(std::string(300'000, '<')).size(), 300'000u);
  EXPECT_EQ(shorten(std::string(300'000, '(')).size(), 300'000u);
}

ShortenRules rules(const char* text) {
  ShortenRules made;
  made.add(text, "rules");
  return made;
}

TEST(ShortenRules, Literal) {
  EXPECT_EQ(shorten("very::long::name(very::long::nameless)",
                    rules("# ours\n\nvery::long::name => short")),
            "short(very::long::nameless)");
}

TEST(ShortenRules, StarsHoldBalancedText) {
  EXPECT_EQ(
      shorten("f(my::ptr<A<B, C>, my::del<A<B, C>>>, int)", rules("my::ptr<*, my::del<*>> => $1*")),
      "f(A<B, C>*, int)");
  EXPECT_EQ(shorten("x::detail::go(int, (char)1) const", rules("x::detail::go(*) => go($1)")),
            "go(int, (char)1) const");
  EXPECT_EQ(shorten("ptr<int> >", rules("ptr<*> > => p")), "p");
}

TEST(ShortenRules, ApplyInOrderEachToTheLastOnesResult) {
  EXPECT_EQ(shorten("a", rules("a => b\nb => c")), "c");
  EXPECT_EQ(shorten("a a", rules("a => a a")), "a a a a");
  EXPECT_EQ(shorten("a b", rules("a => ")), " b");
}

TEST(ShortenRules, BuiltInOnesCanBeSwitchedOff) {
  ShortenRules own = rules("char => c");
  own.built_in = false;
  EXPECT_EQ(shorten("std::vector<char, std::allocator<char>>", own),
            "std::vector<c, std::allocator<c>>");
}

std::string complaint(const char* text) {
  try {
    rules(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(ShortenRules, ErrorsNameTheLine) {
  EXPECT_EQ(complaint("a => b\n\nnonsense\n"),
            "rules:3: a rule is \"pattern => replacement\", and here is no =>");
  EXPECT_EQ(complaint(" => b"), "rules:1: there is no pattern in front of =>");
  EXPECT_EQ(complaint("#\n* => b"), "rules:2: a pattern cannot begin with *");
  EXPECT_EQ(complaint("a<*> => $2"), "rules:1: $2 stands for no * of the pattern");
  EXPECT_EQ(complaint("a********** => b"), "rules:1: a pattern can have 9 * at the most");
}

TEST(ShortenRules, HostileNamesAndPatternsEnd) {
  const std::string name(300'000, 'a');
  EXPECT_EQ(shorten(name, rules("a*a*a*a*a*a*b => x")), name);
  std::string brackets;
  for (int i = 0; i < 100'000; ++i) brackets += "a<";
  EXPECT_EQ(shorten(brackets, rules("a<*>*<*> => x")), brackets);
}

}  // namespace
}  // namespace heapledger
