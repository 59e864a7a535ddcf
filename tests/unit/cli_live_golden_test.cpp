// What a person reads of a live heap, compared with the texts in tests/golden; and that nothing in
// them claims what such a heap cannot tell.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/asking/asked.h"
#include "cli/diff/text.h"
#include "cli/files/info_text.h"
#include "cli/pages/page.h"
#include "cli/report/json.h"
#include "cli/report/text.h"
#include "cli/run/summary.h"
#include "format/modes.h"
#include "live_heap_example.h"
#include "report_golden.h"
#include "settings/settings.h"

namespace heapledger::cli {
namespace {

using namespace diff;
using namespace files;
using namespace report;
using namespace run;

using test::example_heap;
using test::expect_golden;

static_assert(format::kModeTrace == static_cast<uint32_t>(settings::Mode::kTrace));
static_assert(format::kModeLog == static_cast<uint32_t>(settings::Mode::kLog));
static_assert(format::kModeSample == static_cast<uint32_t>(settings::Mode::kSample));
static_assert(format::kModeLive == static_cast<uint32_t>(settings::Mode::kLive));

Page narrow() {
  Page page;
  page.width = 80;
  return page;
}

Ledgers open_heap(const cores::LiveHeap& heap) {
  return test::open_named({{"app.4711.ledger", test::ledger_of(heap)}});
}

std::string text_of(Ledgers ledgers, const ReportWords& words = {}) {
  return report_text(ledgers, understand(words), narrow());
}

cores::LiveHeap without_accounts() {
  cores::LiveHeap heap = example_heap();
  heap.has_accounts = heap.has_times = false;
  heap.started_ns = heap.now_ns = 0;
  return heap;
}

std::string all_views(const cores::LiveHeap& heap) {
  ReportWords function, thread, tree, blocks;
  function.by = "function";
  thread.by = "thread";
  tree.tree = true;
  blocks.blocks = true;
  std::string all;
  for (const ReportWords& words : {ReportWords{}, function, thread, tree, blocks}) {
    all += text_of(open_heap(heap), words) + "\n";
  }
  return all;
}

TEST(LiveGolden, Report) {
  expect_golden("report_live.txt", all_views(example_heap()));
}

TEST(LiveGolden, ReportWithoutSumsAndTimes) {
  expect_golden("report_live_bare.txt", all_views(without_accounts()));
}

TEST(LiveGolden, InfoAndSummary) {
  Ledgers ledgers = open_heap(example_heap());
  expect_golden("info_live.txt", info_text(ledgers.facts()[0], Style(false)) + "\n" +
                                     run_summary(ledgers.overview(), Style(false)));
}

TEST(LiveGolden, Difference) {
  cores::LiveHeap later = example_heap();
  later.blocks.push_back({0x50000, 3000, 4 * test::kSecond, 2, 1});
  later.sites[2].calls += 1;
  later.sites[2].bytes += 3000;
  later.sites[2].peak = 3400;
  Ledgers before = open_heap(example_heap());
  Ledgers after = open_heap(later);
  DiffView view;
  view.before = "first";
  view.after = "second";
  view.live = true;
  Difference difference = compare(before, after, view.question);
  expect_golden("diff_live.txt", diff_text(difference, view, before, after, narrow()));
}

TEST(LiveGolden, SamplesAreSaidToBeEstimates) {
  cores::LiveHeap heap = example_heap();
  heap.sample_bytes = 4096;
  std::string text = text_of(open_heap(heap));
  EXPECT_NE(text.find("estimated from samples, one in 4.0 KiB"), std::string::npos) << text;
  EXPECT_NE(text.find("live heap of process 4711"), std::string::npos) << text;
}

TEST(LiveGolden, JsonSaysLiveAndWhatIsNotKnown) {
  Ledgers ledgers = open_heap(example_heap());
  nlohmann::json json = nlohmann::json::parse(test::written(
      [&](std::FILE* to) { write_report_json(to, ledgers, understand(ReportWords{})); }));
  EXPECT_EQ(json["ledgers"][0]["mode"], "live");
  EXPECT_TRUE(json["totals"]["temporary_calls"].is_null());
  EXPECT_EQ(json["totals"]["calls"], 17);
  EXPECT_EQ(json["totals"]["bytes"], 2507);
  EXPECT_EQ(json["moments"]["end"]["live_bytes"], 1157);
  // It is one moment: nobody knows the peak of the whole. Accounts know that of each site.
  EXPECT_TRUE(json["totals"]["peak_bytes"].is_null());
  EXPECT_TRUE(json["moments"]["peak"].is_null());
  EXPECT_GE(json["groups"][0]["peak_bytes"], json["groups"][0]["end_bytes"]);
  Ledgers bare = open_heap(without_accounts());
  ReportWords blocks;
  blocks.blocks = true;
  json = nlohmann::json::parse(
      test::written([&](std::FILE* to) { write_report_json(to, bare, understand(blocks)); }));
  EXPECT_TRUE(json["blocks"][0]["age_ns"].is_null());
  EXPECT_EQ(json["blocks"].size(), 4u);
}

}  // namespace
}  // namespace heapledger::cli
