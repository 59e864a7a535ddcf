// What `heapledger replay` says: which allocators are compared, texts and JSON of made-up figures,
// compared with tests/golden, and the picture.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "analyzer/error.h"
#include "cli/replay/candidates.h"
#include "cli/replay/json.h"
#include "cli/replay/ledger.h"
#include "cli/replay/text.h"
#include "golden.h"
#include "plots/replay_page.h"
#include "read_json.h"
#include "replay/figure_text.h"

namespace heapledger::cli::replay {
namespace {

using test::expect_golden;

const std::vector<run::KnownAllocator> kKnown = {
    {"jemalloc", "/lib/libjemalloc.so.2", "libjemalloc2"},
    {"tcmalloc", "", "libtcmalloc-minimal4"},
    {"mimalloc", "/lib/libmimalloc.so.2", "libmimalloc2.0"}};

LedgerFacts recorded_with(const std::string& allocator) {
  LedgerFacts facts;
  facts.allocator = allocator;
  facts.executable = "/usr/bin/server";
  return facts;
}

std::vector<std::string> names_of(const ReplayCandidates& candidates) {
  std::vector<std::string> names;
  for (const ReplayCandidate& one : candidates.all) {
    names.push_back(one.candidate.name + (one.missing.empty() ? "" : "!"));
  }
  return names;
}

std::string complaint(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kQuestion);
    return error.what();
  }
  return "nothing was wrong";
}

using Names = std::vector<std::string>;

TEST(ReplayCandidates, WithoutWishesAllThatAreInstalled) {
  const auto chosen = choose_candidates({}, recorded_with("/lib/x86_64/libc.so.6"), kKnown);
  EXPECT_EQ(names_of(chosen), (Names{"glibc", "jemalloc", "mimalloc"}));
  EXPECT_EQ(chosen.all[0].candidate.library, "libc");
  EXPECT_EQ(chosen.all[1].candidate.library, "/lib/libjemalloc.so.2");
  EXPECT_EQ(chosen.baseline, 0u);
  ASSERT_EQ(chosen.notes.size(), 1u);
  EXPECT_NE(chosen.notes[0].find("libtcmalloc-minimal4"), std::string::npos);
}

TEST(ReplayCandidates, TheProgramsOwnIsTheBaseline) {
  // The recorded file is gone; the one that is installed stands for it.
  const auto chosen = choose_candidates({}, recorded_with("/nowhere/libjemalloc.so.2"), kKnown);
  EXPECT_EQ(names_of(chosen), (Names{"jemalloc", "glibc", "mimalloc"}));
  EXPECT_EQ(chosen.baseline, 0u);

  const auto asked = choose_candidates({"mimalloc", "jemalloc"},
                                       recorded_with("/nowhere/libjemalloc.so.2"), kKnown);
  EXPECT_EQ(names_of(asked), (Names{"mimalloc", "jemalloc"}));
  EXPECT_EQ(asked.baseline, 1u);

  const auto added = choose_candidates({"mimalloc"}, recorded_with("/lib/libc.so.6"), kKnown);
  EXPECT_EQ(names_of(added), (Names{"glibc", "mimalloc"}));
}

TEST(ReplayCandidates, AnAllocatorThatIsGoneIsReplacedByGlibcWithANote) {
  const auto gone = choose_candidates({"jemalloc"}, recorded_with("/nowhere/libown.so"), kKnown);
  EXPECT_EQ(names_of(gone), (Names{"glibc", "jemalloc"}));
  ASSERT_EQ(gone.notes.size(), 1u);
  EXPECT_NE(gone.notes[0].find("/nowhere/libown.so"), std::string::npos);

  const auto inside = choose_candidates({"jemalloc"}, recorded_with("/usr/bin/server"), kKnown);
  EXPECT_EQ(names_of(inside), (Names{"glibc", "jemalloc"}));
  EXPECT_EQ(inside.notes.size(), 1u);
}

TEST(ReplayCandidates, WhatIsNotThereIsKeptAsARow) {
  const auto chosen = choose_candidates({"tcmalloc", "/nowhere/mine.so", "jemalloc"},
                                        recorded_with("/lib/libc.so.6"), kKnown);
  EXPECT_EQ(names_of(chosen), (Names{"glibc", "tcmalloc!", "mine.so!", "jemalloc"}));
  EXPECT_EQ(chosen.playable().size(), 2u);

  Comparison played;
  played.candidates.resize(2);
  played.candidates[0].candidate = chosen.all[0].candidate;
  played.candidates[1].candidate = chosen.all[3].candidate;
  played.baseline = 1;  // glibc failed
  const Comparison all = with_missing(played, chosen);
  ASSERT_EQ(all.candidates.size(), 4u);
  EXPECT_EQ(all.baseline, 3u);
  EXPECT_TRUE(all.candidates[1].failed);
  EXPECT_NE(all.candidates[1].failure.find("apt install libtcmalloc-minimal4"), std::string::npos);
  EXPECT_EQ(all.candidates[2].failure, "there is no such file");
  EXPECT_EQ(all.candidates[3].candidate.name, "jemalloc");
}

TEST(ReplayCandidates, UnknownNamesAreRefused) {
  const std::string text =
      complaint([] { choose_candidates({"jemaloc"}, recorded_with("/lib/libc.so.6"), kKnown); });
  EXPECT_NE(text.find("did you mean 'jemalloc'?"), std::string::npos) << text;
}

TEST(ReplayLedger, OneOfSeveralHasToBeChosen) {
  std::vector<LedgerFacts> ledgers(3);
  ledgers[0].pid = 11;
  ledgers[0].path = "a.11.ledger";
  ledgers[0].totals.peak_bytes = 1024;
  ledgers[1].pid = 12;
  ledgers[1].path = "b.12.ledger";
  ledgers[1].totals.peak_bytes = 1 << 20;
  ledgers[2].pid = 11;
  ledgers[2].path = "c.11.ledger";
  ReplayOptions options;
  const std::string text = complaint([&] { chosen_ledger(ledgers, options); });
  EXPECT_NE(text.find("--process PID"), std::string::npos);
  EXPECT_LT(text.find("1.0 MiB  b.12.ledger"), text.find("1.0 KiB  a.11.ledger")) << text;
  options.process = 12;
  EXPECT_EQ(chosen_ledger(ledgers, options), 1u);
  options.process = 13;
  EXPECT_NE(complaint([&] { chosen_ledger(ledgers, options); }).find("process 13"),
            std::string::npos);
  options.process = 11;
  EXPECT_NE(complaint([&] { chosen_ledger(ledgers, options); }).find("c.11.ledger"),
            std::string::npos);
}

TEST(ReplayWords, FiguresHaveAsManyDigitsAsMatter) {
  EXPECT_EQ(ns_text(35.24), "35.2 ns");
  EXPECT_EQ(ns_text(-0.4), "0.0 ns");
  EXPECT_EQ(ns_text(1234), "1.2 us");
  EXPECT_EQ(ns_text(3835636763), "3.84 s");
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(0.26), "0.26");
  EXPECT_EQ(count_text(0.001), "<0.01");
  EXPECT_EQ(count_text(3.14), "3.1");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(45'678), "45.7k");
  EXPECT_EQ(count_text(28'400'000), "28.4M");
  EXPECT_EQ(ratio_text({0.88, 0.86, 0.90, true}), "×0.88 ±0.02");
  EXPECT_EQ(ratio_text({0.88, 0, 0, false}), "×0.88");
  EXPECT_EQ(ratio_text({123.4, 120, 127, true}), "×123 ±4");
  EXPECT_EQ(ratio_text({3.47, 1.22, 9.85, true}), "×3.47 (1.22–9.85)");
  EXPECT_EQ(ratio_text({11.2, 4.1, 130, true}), "×11.2 (4.10–130)");
  EXPECT_EQ(ratio_text({1, 1, 1, false, false}), "-");
  EXPECT_EQ(single_call_text(8.9, 9.2), "<10 ns");
  EXPECT_EQ(single_call_text(9.3, 9.2), "9.3 ns");
  EXPECT_EQ(single_call_text(0, 0), "0.0 ns");
  EXPECT_EQ(fragmentation_text(0), "-");
  EXPECT_EQ(fragmentation_text(1.075), "1.07");
}

Measured of(double median, double spread) {
  return {median, median - spread, median + spread, {median - spread, median, median + spread}};
}

CandidateFigures figures(const std::string& name, double ns_per_call, double peak) {
  CandidateFigures one;
  one.candidate = {name, name == "glibc" ? "libc" : "/lib/lib" + name + ".so.2", {}};
  one.ns_per_call = of(ns_per_call, 1);
  one.time_ns = of(ns_per_call * 2e6, 2e6);
  one.calls_per_second = of(1e9 / ns_per_call, 1e5);
  one.peak_rss = of(peak, 8192);
  one.end_rss = of(peak / 2, 4096);
  one.page_faults = of(peak / 4096, 3);
  one.latency = {ns_per_call * 0.8, ns_per_call * 6, ns_per_call * 40, ns_per_call * 2000};
  one.fragmentation_at_peak = peak / 50e6;
  one.fragmentation_at_end = 0;
  one.system_calls = SystemCalls{417, {{"brk", 400}, {"mmap", 17}}};
  for (uint64_t i = 1; i <= 40; ++i) {
    const uint64_t live = i <= 30 ? i * 1'666'666 : (40 - i) * 5'000'000;
    one.rss.push_back(
        {i * 50'000, i * 25'000'000, live,
         std::max<uint64_t>(static_cast<uint64_t>(peak / 50e6 * static_cast<double>(live)),
                            i > 30 ? static_cast<uint64_t>(peak / 2) : 0)});
  }
  return one;
}

Comparison made_up() {
  Comparison comparison;
  comparison.candidates = {figures("glibc", 35.2, 54e6), figures("jemalloc", 31.0, 61e6),
                           figures("mimalloc", 24.3, 47.5e6), figures("crashing.so", 1, 1)};
  comparison.candidates[0].is_baseline = true;
  comparison.candidates[0].verdict = "glibc: 35 ns per call; the others are compared with this";
  comparison.candidates[1].time = {0.88, 0.86, 0.90, true};
  comparison.candidates[1].peak = {1.13, 1.12, 1.14, true};
  comparison.candidates[1].verdict = "jemalloc: 12 % less time in malloc, 13 % more peak memory";
  comparison.candidates[1].system_calls.reset();
  comparison.candidates[1].why_not_counted = "tracing is not permitted here";
  comparison.candidates[1].emulated = 12;
  comparison.candidates[2].time = {0.69, 0.67, 0.71, true};
  comparison.candidates[2].peak = {0.88, 0.86, 0.90, true};
  comparison.candidates[2].verdict =
      "mimalloc: 31 % less time in malloc, 12 % less peak memory, ± 2 %";
  CandidateFigures failed;
  failed.candidate = {"crashing.so", "/tmp/crashing.so", {}};
  failed.failed = true;
  failed.failure = "crashed (SIGSEGV) after about 12,345 calls";
  failed.verdict = "crashing.so: " + failed.failure;
  comparison.candidates[3] = failed;
  comparison.calls = 2'000'000;
  comparison.lanes = 4;
  comparison.rounds = 3;
  comparison.own_ns_per_call = 4.1;
  comparison.clock_ns = 18.2;
  comparison.verdict =
      "mimalloc is best for this program: 31 % less time in malloc, 12 % less peak memory, ± 2 %, "
      "compared with glibc.";
  return comparison;
}

struct World {
  LedgerFacts ledger;
  schedule::Header header{};
  BuildFacts built;
  ReplayOptions options;

  World() {
    ledger.path = "server.4711.ledger";
    ledger.pid = 4711;
    ledger.command = {"./server", "--fast", "a b"};
    ledger.allocator = "/lib/x86_64-linux-gnu/libc.so.6";
    header.calls = 2'000'000;
    header.lanes = 4;
    header.peak_bytes = 50'000'000;
    header.duration_ns = 1'000'000'000;
    built.operations = 2'000'003;
    built.unknown_frees = 3;
    built.lost_frees = 1;
    options.rounds = 3;
  }
  ReplayView view() const { return {ledger, header, built, options}; }
};

TEST(ReplayText, Comparison) {
  World world;
  Page page;
  expect_golden("replay.txt", comparison_text(made_up(), world.view(), page));
  page.width = 80;
  world.options.no_latency = true;
  world.options.threads = "1";
  world.options.order = "strict";
  expect_golden("replay_narrow.txt", comparison_text(made_up(), world.view(), page));
}

TEST(ReplayText, TheBestOfEachColumnIsBold) {
  const World world;
  Page page;
  page.style = Style(true);
  const std::string text = comparison_text(made_up(), world.view(), page);
  EXPECT_NE(text.find("\x1b[1m24.3 ns\x1b[0m"), std::string::npos) << text;
  EXPECT_EQ(text.find("\x1b[1m35.2 ns"), std::string::npos);
  EXPECT_NE(text.find("\x1b[1m45.3 MiB\x1b[0m"), std::string::npos);
}

TEST(ReplayText, NothingIsTriedThatIsNotBetter) {
  Comparison comparison = made_up();
  EXPECT_EQ(worth_a_try(comparison)->candidate.name, "mimalloc");
  comparison.candidates[2].time.high = 1.01;  // not known to be better …
  EXPECT_EQ(worth_a_try(comparison)->candidate.name, "jemalloc");
  comparison.candidates[1].time.high = 1.01;
  EXPECT_EQ(worth_a_try(comparison)->candidate.name, "mimalloc");  // … but smaller
  comparison.candidates[2].peak.high = 1.01;
  EXPECT_EQ(worth_a_try(comparison), nullptr);
}

// Half of all is not too much for a third less time, but for a tenth it is.
TEST(ReplayText, NothingIsTriedThatCostsMoreThanItGains) {
  Comparison comparison = made_up();
  comparison.candidates[2].peak = {1.40, 1.39, 1.41, true};
  EXPECT_EQ(worth_a_try(comparison)->candidate.name, "mimalloc");
  comparison.candidates[2].peak = {1.50, 1.49, 1.51, true};
  EXPECT_EQ(worth_a_try(comparison)->candidate.name, "jemalloc");
  comparison.candidates[1].peak = {1.15, 1.14, 1.16, true};  // × 0.88 is more than 1
  EXPECT_EQ(worth_a_try(comparison), nullptr);
}

TEST(ReplayText, TellsNoMoreThanCanBeTold) {
  const World world;
  Comparison comparison = made_up();
  comparison.clock_step_ns = 25.4;
  comparison.candidates[1].time = {3.47, 1.22, 9.85, true};
  comparison.candidates[1].calls_per_second = of(0, 0);
  comparison.candidates[2].time = {1, 1, 1, false, false};
  // Of 50,000,000 bytes at the peak.
  comparison.candidates[0].end_live_bytes = 500'000;
  comparison.candidates[0].fragmentation_at_end = 52.5;
  comparison.candidates[1].end_live_bytes = 499'999;
  comparison.candidates[1].fragmentation_at_end = 61.5;
  Page page;
  page.width = 200;
  const std::string text = comparison_text(comparison, world.view(), page);
  const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has("×3.47 (1.22–9.85)        -   <26 ns")) << text;
  EXPECT_TRUE(has("24.3 ns                  -    41.2M   <26 ns")) << text;
  EXPECT_TRUE(has("28.2 ns")) << text;
  EXPECT_TRUE(has("52.50")) << text;
  EXPECT_FALSE(has("61.5")) << text;
}

TEST(ReplayText, Check) {
  const World world;
  std::vector<CandidateFigures> checked(2);
  checked[0].candidate.name = "glibc";
  checked[1].candidate.name = "broken.so";
  checked[1].failed = true;
  checked[1].failure = "two blocks overlap, after about 99 calls";
  expect_golden("replay_check.txt", check_text(checked, world.view(), Page()));
}

std::vector<Tuned> made_up_tuning() {
  Tuned tuned;
  tuned.allocator = "glibc";
  tuned.tried = {figures("glibc", 35.2, 54e6), figures("glibc arena_max=1", 36, 44e6),
                 figures("glibc tcache_count=0", 60, 54e6)};
  for (size_t i : {1u, 2u}) {
    // Against the default of the same rounds, which was a tenth slower than in the last ones.
    const double time = tuned.tried[i].ns_per_call.median / 35.2 / 1.1;
    const double peak = tuned.tried[i].peak_rss.median / 54e6;
    tuned.tried[i].time = {time, time - 0.01, time + 0.01, true};
    tuned.tried[i].peak = {peak, peak - 0.02, peak + 0.02, true};
  }
  tuned.settings = {
      {},
      {{"GLIBC_TUNABLES", "glibc.malloc.arena_max", "1", "one arena for all threads"}},
      {{"GLIBC_TUNABLES", "glibc.malloc.tcache_count", "0", "no caches of threads"}}};
  tuned.best = 1;
  tuned.smallest = 1;
  tuned.out_of_time = true;
  tuned.verdict = "export GLIBC_TUNABLES=glibc.malloc.arena_max=1: 19 % less peak memory.";
  return {tuned};
}

TEST(ReplayText, Tuned) {
  const World world;
  const std::string text = tuned_text(made_up_tuning(), world.view(), Page());
  expect_golden("replay_tune.txt", text);
  EXPECT_NE(text.find("54.5 ns  ×1.55 ±0.01"), std::string::npos) << text;  // 35.2 × 1.55
}

TEST(ReplayJson, Schemas) {
  const World world;
  expect_golden("replay.json", json_line(comparison_json(made_up(), world.view())) + "\n");
  const ReadJson tuned = read_json(tuned_json(made_up_tuning(), world.view()));
  EXPECT_EQ(tuned["schema"], "heapledger.replay.tune/1");
  EXPECT_EQ(tuned["tuned"][0]["tried"][1]["settings"][0]["name"], "glibc.malloc.arena_max");
  EXPECT_EQ(tuned["tuned"][0]["best"], 1);
  const ReadJson checked = read_json(check_json(made_up().candidates, world.view()));
  EXPECT_EQ(checked["schema"], "heapledger.replay.check/1");
  EXPECT_EQ(checked["candidates"][3]["failure"], "crashed (SIGSEGV) after about 12,345 calls");
  EXPECT_EQ(checked["candidates"][0]["failure"], nullptr);
}

TEST(ReplayText, HostileNamesAreHarmless) {
  World world;
  Comparison comparison = made_up();
  comparison.candidates[1].candidate.name = "a\x1b[31m\n\"<b>&\xff";
  world.ledger.command = {"x\x1b]0;title\a\n"};
  for (char c : comparison_text(comparison, world.view(), Page())) {
    EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  }
  const ReadJson parsed = read_json(comparison_json(comparison, world.view()));
  EXPECT_EQ(parsed["candidates"].size(), 4u);
  const std::string svg = draw_replay_page(comparison, {"t<&>", "s", Scheme::kLight});
  EXPECT_EQ(svg.find('\x1b'), std::string::npos);
  EXPECT_EQ(svg.find("<b>"), std::string::npos);
  EXPECT_NE(svg.find("t&lt;&amp;&gt;"), std::string::npos);
}

TEST(ReplayPage, HasAllFiguresInIt) {
  const std::string svg =
      draw_replay_page(made_up(), {"./server", "2,000,000 calls", Scheme::kLight});
  if (const char* path = std::getenv("HEAPLEDGER_LOOK")) std::ofstream(path) << svg;
  EXPECT_NE(svg.find("data-name=\"mimalloc\" data-median=\"24.3\""), std::string::npos);
  EXPECT_NE(svg.find("data-name=\"mimalloc\" data-median=\"47500000\""), std::string::npos);
  EXPECT_NE(svg.find("×0.69 ±0.02"), std::string::npos);
  EXPECT_NE(svg.find("crashed (SIGSEGV)"), std::string::npos);
}

}  // namespace
}  // namespace heapledger::cli::replay
