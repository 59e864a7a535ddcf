// How a function and its place fit into too little room.
#include <gtest/gtest.h>

#include <string>

#include "cli/pages/page.h"

namespace heapledger::cli {
namespace {

constexpr const char* kName = "store::Index::insert(std::string const&, std::vector<int> const&)";
constexpr const char* kFile = "/home/user/project/src/store/index.cpp";

std::string in(size_t room, const std::string& name = kName) {
  return function_text(Page(), name, kFile, 142, room);
}

TEST(FunctionText, ParametersGoFirstThenFoldersThenPartsOfTheName) {
  EXPECT_EQ(in(200), std::string(kName) + "  " + kFile + ":142");
  EXPECT_EQ(in(70), std::string("store::Index::insert(…)  ") + kFile + ":142");
  EXPECT_EQ(in(60), "store::Index::insert(…)  …/project/src/store/index.cpp:142");
  EXPECT_EQ(in(40), "store::Index::insert(…)  …/index.cpp:142");
  EXPECT_EQ(in(30), "…insert(…)  index.cpp:142");
}

TEST(FunctionText, AShortNameIsNotCutForAFile) {
  EXPECT_EQ(in(20, "shrink"), "shrink  …dex.cpp:142");
}

TEST(FunctionText, FileAndLineStay) {
  for (size_t room = 24; room < 150; ++room) {
    const std::string text = in(room);
    EXPECT_LE(shown_width(text), room) << text;
    EXPECT_TRUE(text.ends_with("index.cpp:142")) << text;
  }
  for (size_t room = 16; room < 150; ++room) {
    const std::string text = in(room, "f");
    EXPECT_LE(shown_width(text), room) << text;
    EXPECT_TRUE(text.ends_with(".cpp:142")) << text;
  }
}

}  // namespace
}  // namespace heapledger::cli
