// A program whose memory is in small places: what is said of its parts counts the parts alone.
#include <gtest/gtest.h>

#include <string>

#include "cli/report/text.h"
#include "named_program.h"

namespace heapledger::cli::report {
namespace {

// Two parts of 3,000 and 1,000 bytes in places of ten, and a hundred places that are in neither.
void add_scattered(test::NamedProgram& program) {
  for (int i = 0; i < 300; ++i) {
    program.add({"parse_leaf" + std::to_string(i), "parse", "main"}, 10);
    if (i % 3 == 0) program.add({"emit_leaf" + std::to_string(i), "emit", "main"}, 10);
    if (i % 3 == 1) program.add({"small" + std::to_string(i), "main"}, 10);
  }
}

std::string shown(test::NamedProgram& program, const Asked& asked) {
  return report_text(program.ledgers(), asked, Page());
}

TEST(PartsText, WhatIsInNoPartIsNone) {
  test::NamedProgram program;
  add_scattered(program);
  const std::string text = shown(program, Asked());
  EXPECT_NE(text.find("60% of it from one part;"), std::string::npos) << text;
  EXPECT_NE(text.find("never freed: 4.9 KiB in 500 blocks from 2 parts\n"), std::string::npos)
      << text;
}

TEST(PartsText, ATableHasItAsALineAndDoesNotCountIt) {
  test::NamedProgram program;
  add_scattered(program);
  Asked asked;
  asked.view = ReportView::kTable;
  asked.question.by = GroupBy::kPart;
  const std::string text = shown(program, asked);
  EXPECT_NE(text.find("2 parts, by live"), std::string::npos) << text;
}

}  // namespace
}  // namespace heapledger::cli::report
