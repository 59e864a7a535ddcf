// What a person reads, compared with the texts in tests/golden. When a change is wanted, run with
// HEAPLEDGER_UPDATE_GOLDEN=1 and look at the difference.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "analyze_bytes.h"
#include "cli/asking/asked.h"
#include "cli/files/info_json.h"
#include "cli/files/info_text.h"
#include "cli/report/json.h"
#include "cli/run/summary.h"
#include "example_ledger.h"
#include "golden.h"
#include "ledger_builder.h"
#include "query_bytes.h"

namespace heapledger::cli {
namespace {

using namespace files;
using namespace report;
using namespace run;

const Style kPlain(false);

using test::expect_golden;
using test::written;

Overview one() {
  return test::open_named({{"example.42.ledger", test::example_ledger()}}).overview();
}

Overview two() {
  return test::open_named({{"example.42.ledger", test::example_ledger()},
                           {"example.44.ledger", test::example_child()}})
      .overview();
}

TEST(Golden, Info) {
  std::vector<LedgerFacts> ledgers = two().processes;
  expect_golden("info_started.txt", info_text(ledgers[0], kPlain));
  expect_golden("info_forked.txt", info_text(ledgers[1], kPlain));
}

TEST(Golden, InfoJson) {
  expect_golden("info_two.json",
                written([](std::FILE* to) { write_info_json(to, two().processes); }));
}

TEST(Golden, RunSummary) {
  expect_golden("summary_one.txt", run_summary(one(), kPlain));
  expect_golden("summary_two.txt", run_summary(two(), kPlain));
}

TEST(Golden, NothingInTheTextsCanControlATerminal) {
  Overview overview = two();
  std::string all = info_text(overview.processes[0], kPlain) +
                    info_text(overview.processes[1], kPlain) + run_summary(overview, kPlain);
  for (char c : all) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
}

TEST(Golden, InvalidNamesStillGiveValidJson) {
  test::LedgerBuilder ledger;
  ledger.window(0)
      .thread(0, 0, 1, "\xff\xfe")
      .info(0, format::InfoKey::kExecutable, "/bin/\xc0\x1b")
      .module(0, 1, 0, 9, 0, "", "/lib/\x80.so")
      .site(0, 1, 0, 1, 5)
      .malloc(1, 0x1000, 1, 1);
  Ledgers ledgers = test::open_bytes({ledger.bytes()});
  auto report = nlohmann::json::parse(
      written([&](std::FILE* to) { write_report_json(to, ledgers, understand({})); }));
  auto info =
      nlohmann::json::parse(written([&](std::FILE* to) { write_info_json(to, ledgers.facts()); }));
  EXPECT_EQ(report["frames"][0]["module"], "/lib/\\x80.so");
  EXPECT_EQ(info["ledgers"][0]["threads"][0]["name"], "\\xff\\xfe");
  EXPECT_EQ(info["ledgers"][0]["executable"], "/bin/\\xc0\x1b");
}

}  // namespace
}  // namespace heapledger::cli
