// Parts: where single places own too little, the calls that lead to most of what is live.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "analyzer/query/answer_json.h"
#include "named_program.h"

namespace heapledger {
namespace {

using test::NamedProgram;
using Parts = std::map<std::string, uint64_t>;  // bytes

Parts parts_of(NamedProgram& program, size_t most) {
  Question question;
  question.by = GroupBy::kPart;
  question.top = most;
  Parts found;
  for (const Row& row : program.ledgers().ask(question).rows) {
    found[row.name] += row.all.live_bytes;
  }
  return found;
}

// Hundreds of places below `caller`, in as many functions, of ten bytes each.
void scatter(NamedProgram& program, const std::string& caller, int places) {
  for (int i = 0; i < places; ++i) {
    program.add({caller + "_leaf" + std::to_string(i), caller, "run", "main"}, 10);
  }
}

TEST(Parts, SmallPlacesAreTheirCommonCallers) {
  NamedProgram program;
  scatter(program, "parse", 300);
  scatter(program, "emit", 100);
  EXPECT_EQ(parts_of(program, 10), (Parts{{"parse", 3000}, {"emit", 1000}}));
}

TEST(Parts, TheLargestIsSplitWhereItBranches) {
  NamedProgram program;
  for (int i = 0; i < 100; ++i) {
    const std::string leaf = "leaf" + std::to_string(i);
    program.add({leaf, "types", "check", "parse", "main"}, 30);
    program.add({leaf, "names", "check", "parse", "main"}, 20);
    program.add({leaf, "emit", "main"}, 10);
  }
  EXPECT_EQ(parts_of(program, 2), (Parts{{"parse", 5000}, {"emit", 1000}}));
  EXPECT_EQ(parts_of(program, 10), (Parts{{"types", 3000}, {"names", 2000}, {"emit", 1000}}));
}

TEST(Parts, WhatASplitPartKeepsIsStillItsOwn) {
  NamedProgram program;
  scatter(program, "emit", 100);  // 1,000, all under run
  for (int i = 0; i < 200; ++i) {
    const std::string leaf = "leaf" + std::to_string(i);
    program.add({leaf, "types", "parse", "main"}, 10);  // 2,000
    program.add({leaf, "parse", "main"}, 5);            // 1,000 in 200 places
  }
  EXPECT_EQ(parts_of(program, 10), (Parts{{"types", 2000}, {"parse", 1000}, {"run", 1000}}));
}

TEST(Parts, RecursionIsNoBranch) {
  NamedProgram program;
  for (int depth = 1; depth < 40; ++depth) {
    NamedProgram::Stack stack = {"leaf" + std::to_string(depth)};
    for (int i = 0; i < depth; ++i) stack.insert(stack.end(), {"statement", "block"});
    stack.push_back("main");
    program.add(stack, 10);
  }
  scatter(program, "emit", 100);
  EXPECT_EQ(parts_of(program, 10), (Parts{{"block", 390}, {"run", 1000}}));
}

TEST(Parts, SmallOnesAreTheRestAndComeLast) {
  NamedProgram program;
  for (int i = 0; i < 100; ++i) program.add({"small" + std::to_string(i), "main"}, 10);
  program.add({"big", "main"}, 100);
  Question question;
  question.by = GroupBy::kPart;
  const Answer answer = program.ledgers().ask(question);
  ASSERT_EQ(answer.rows.size(), 2u);
  EXPECT_EQ(answer.rows[0].name, "big");
  EXPECT_EQ(answer.rows[0].all.live_bytes, 100u);
  EXPECT_EQ(answer.rows[1].all.live_bytes, 1000u);
  EXPECT_FALSE(answer.rows[0].is_rest);
  EXPECT_TRUE(answer.rows[1].is_rest);
  EXPECT_EQ(answer_from_json(to_json(answer)), answer);
}

TEST(Parts, TheyNameTheirCallersAndWhoOwnsMost) {
  NamedProgram program;
  for (int i = 0; i < 50; ++i) program.add({"leaf" + std::to_string(i), "parse", "run", "main"}, 2);
  program.add({"leaf7", "parse", "run", "main"}, 98);
  program.add({"draw", "main"}, 100);
  Question question;
  question.by = GroupBy::kPart;
  question.top = 2;
  const Answer answer = program.ledgers().ask(question);
  ASSERT_EQ(answer.rows.size(), 2u);
  EXPECT_EQ(answer.rows[0].name, "run");
  EXPECT_EQ(answer.rows[0].callers, std::vector<std::string>{"main"});
  EXPECT_EQ(answer.rows[0].owner.function, "leaf7");
  EXPECT_EQ(answer.rows[0].owner.amount, 100u);
  EXPECT_EQ(answer.rows[0].stacks, 50u);
}

TEST(Parts, OwnersExplainMoreWhereFewOfThemHaveHalf) {
  NamedProgram program;
  scatter(program, "parse", 300);
  Question question;
  question.top = 5;
  program.ledgers().explain(question, 10);
  EXPECT_EQ(question.by, GroupBy::kPart);  // five leaves have 50 of 3,000 bytes
  NamedProgram few;
  scatter(few, "parse", 30);
  few.add({"draw", "main"}, 300);
  question.top = 5;
  const Answer answer = few.ledgers().explain(question, 10);
  EXPECT_EQ(question.by, GroupBy::kOwner);
  EXPECT_EQ(answer.rows.at(0).all.live_bytes, 300u);
}

TEST(Parts, ChartsAskMoreOfOwners) {
  NamedProgram program;  // the first five own 1,440 of 2,400 bytes: 60 %
  scatter(program, "parse", 100);
  program.add({"draw", "main"}, 1400);
  Question question;
  question.top = 5;
  EXPECT_EQ(program.ledgers().explain(question, 5, 60).rows.at(0).name, "draw");
  EXPECT_EQ(question.by, GroupBy::kOwner);
  const Answer answer = program.ledgers().explain(question, 5, 80);
  EXPECT_EQ(question.by, GroupBy::kPart);
  EXPECT_EQ(answer.rows.at(0).all.live_bytes + answer.rows.at(1).all.live_bytes, 2400u);
}

}  // namespace
}  // namespace heapledger
