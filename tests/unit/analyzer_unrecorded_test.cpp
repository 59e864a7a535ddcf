// What a ledger says of programs that could not be recorded: read from raw and sealed ledgers, and
// from tables that are damaged.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "analyze_bytes.h"
#include "analyzer/unrecorded.h"
#include "format/unrecorded.h"
#include "ledger_builder.h"
#include "seal_bytes.h"

namespace heapledger {
namespace {

using format::Unrecorded;
using format::UnrecordedTable;

void add(UnrecordedTable& table, size_t place, Unrecorded reason, uint32_t pid, const char* name,
         uint32_t error = 0) {
  ++table.counts[static_cast<size_t>(reason)];
  format::UnrecordedRecord& record = table.records[place];
  record.reason = static_cast<uint32_t>(reason);
  record.pid = pid;
  record.error = error;
  std::memcpy(record.name, name, strnlen(name, sizeof record.name));
}

UnrecordedTable three() {
  UnrecordedTable table{};
  add(table, 0, Unrecorded::kStatic, 11, "busybox");
  add(table, 1, Unrecorded::kAddressSanitizer, 12, "tree_test");
  add(table, 3, Unrecorded::kAddressSanitizer, 13, "parser_test");
  return table;
}

std::string ledger_with(const UnrecordedTable& table) {
  test::LedgerBuilder builder;
  builder.window(0).thread(0, 0, 42, "main");
  std::string bytes = builder.bytes();
  std::memcpy(bytes.data() + format::kUnrecordedOffset, &table, sizeof table);
  return bytes;
}

void expect_three(const std::vector<UnrecordedGroup>& groups) {
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].reason, Unrecorded::kAddressSanitizer);
  EXPECT_EQ(groups[0].count, 2u);
  ASSERT_EQ(groups[0].programs.size(), 2u);
  EXPECT_EQ(groups[0].programs[1].name, "parser_test");
  EXPECT_EQ(groups[0].programs[1].pid, 13u);
  EXPECT_EQ(groups[1].reason, Unrecorded::kStatic);
  EXPECT_EQ(count_unrecorded(groups), 3u);
}

TEST(UnrecordedPrograms, AreReadFromARawLedger) {
  expect_three(test::analyze_bytes(ledger_with(three())).ledgers[0].unrecorded);
}

TEST(UnrecordedPrograms, AreKeptBySealing) {
  expect_three(test::analyze_bytes(test::sealed(ledger_with(three()))).ledgers[0].unrecorded);
}

TEST(UnrecordedPrograms, AreNoneInLedgersThatHaveNoTable) {
  EXPECT_TRUE(test::analyze_bytes(ledger_with({})).ledgers[0].unrecorded.empty());
  EXPECT_TRUE(test::analyze_bytes(test::sealed(ledger_with({}))).ledgers[0].unrecorded.empty());
}

TEST(UnrecordedPrograms, OfSeveralLedgersAreAdded) {
  UnrecordedTable more{};
  add(more, 0, Unrecorded::kThreadSanitizer, 20, "race_test");
  add(more, 1, Unrecorded::kStatic, 21, "static");
  std::vector<UnrecordedGroup> groups = read_unrecorded(three());
  add_unrecorded(groups, read_unrecorded(more));
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[1].reason, Unrecorded::kThreadSanitizer);
  EXPECT_EQ(groups[2].count, 2u);
  EXPECT_EQ(count_unrecorded(groups), 5u);
}

TEST(UnrecordedPrograms, DamagedTablesAreReadWithinBounds) {
  UnrecordedTable table;
  std::memset(&table, 0xff, sizeof table);
  for (format::UnrecordedRecord& record : table.records) record.reason = 15;
  const std::vector<UnrecordedGroup> groups = read_unrecorded(table);
  ASSERT_EQ(groups.size(), format::kUnrecordedReasons - 1);
  EXPECT_EQ(groups.back().programs.size(), format::kUnrecordedNamed);
  EXPECT_EQ(groups.back().programs[0].name.size(), sizeof table.records[0].name);
  EXPECT_STREQ(unrecorded_word(groups.back().reason), "unknown");
  // More names than were counted: the count is right.
  table = three();
  table.counts[static_cast<size_t>(Unrecorded::kAddressSanitizer)] = 1;
  EXPECT_EQ(read_unrecorded(table)[0].programs.size(), 1u);
}

}  // namespace
}  // namespace heapledger
