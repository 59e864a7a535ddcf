// JSON as we write it, read back by a library.
#include "text/json_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "read_json.h"

namespace heapledger {
namespace {

using Read = ReadJson;

Read read_back(const Json& json) {
  return read_json(json);
}

TEST(JsonText, ValuesAreReadBackAsWritten) {
  EXPECT_EQ(read_back(Json()), Read(nullptr));
  EXPECT_EQ(read_back(true), Read(true));
  EXPECT_EQ(read_back(-5), Read(-5));
  EXPECT_EQ(read_back(std::numeric_limits<uint64_t>::max()), Read(18446744073709551615u));
  EXPECT_EQ(read_back(std::numeric_limits<int64_t>::min()),
            Read(std::numeric_limits<int64_t>::min()));
  EXPECT_EQ(read_back("text"), Read("text"));
  EXPECT_EQ(read_back(std::vector<unsigned>{1, 2}), Read({1, 2}));
}

TEST(JsonText, RealNumbersHaveTheDigitsTheyNeed) {
  for (const double number : {0.1, 1.0 / 3, 1e-5, 123456.789, 1e15, 1.5e300, 5e-324, -2.5}) {
    EXPECT_EQ(read_back(number).get<double>(), number);
  }
  EXPECT_EQ(json_line(100000.0), "100000.0");
  EXPECT_EQ(json_line(0.0), "0.0");
  EXPECT_EQ(json_line(0.0001), "0.0001");
  EXPECT_EQ(json_line(std::nan("")), "null");
  EXPECT_EQ(json_line(std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonText, ListsOfPairsAreObjects) {
  EXPECT_EQ(json_line({{"b", 1}, {"a", nullptr}}), R"({"b":1,"a":null})");
  EXPECT_EQ(json_line({{"b", 1}, {"a", nullptr}, {"b", 2}}), R"({"b":2,"a":null})");
  EXPECT_EQ(json_line({1, "two", {3, 4}}), R"([1,"two",[3,4]])");
  EXPECT_EQ(json_line(Json::array({{"b", 1}})), R"([["b",1]])");
  EXPECT_EQ(json_line(Json::array()), "[]");
  EXPECT_EQ(json_line(Json::object()), "{}");
}

TEST(JsonText, MembersStayInTheirOrder) {
  Json json;
  json["z"] = 1;
  json["a"].push_back("x");
  json["z"] = 2;
  json.update({{"a", false}, {"m", 1.5}});
  EXPECT_EQ(json_line(json), R"({"z":2,"a":false,"m":1.5})");
  EXPECT_EQ(json.size(), 3u);
  EXPECT_TRUE(json.contains("m"));
  EXPECT_FALSE(json.contains("n"));
}

TEST(JsonText, TextsAreAsciiAndMeanTheSame) {
  std::string all;
  for (int letter = 0; letter < 0x80; ++letter) all += static_cast<char>(letter);
  all += "\u00e9\u20ac\u2028\U0001F600";
  const std::string line = json_line(all);
  for (const char letter : line) EXPECT_TRUE(letter >= ' ' && letter < 0x7f) << int{letter};
  EXPECT_EQ(Read::parse(line).get<std::string>(), all);
}

TEST(JsonText, WhatIsNotUtf8IsReplaced) {
  // A lone byte, a cut character, an overlong one, a surrogate, one too large.
  for (const char* bytes : {"\xff", "\xe2\x82", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    const Read read = Read::parse(json_line(std::string("a") + bytes + "b"));
    std::string expected = "a";
    for (const char* at = bytes; *at != '\0'; ++at) expected += "\ufffd";
    EXPECT_EQ(read.get<std::string>(), expected + "b");
  }
}

}  // namespace
}  // namespace heapledger
