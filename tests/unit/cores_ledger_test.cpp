// A live heap becomes a ledger that says what the heap says, raw and sealed.
#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <random>
#include <tuple>

#include "analyzer/own_threads.h"
#include "format/entry.h"
#include "format/layout.h"
#include "live_heap_example.h"
#include "query_bytes.h"
#include "seal_bytes.h"

namespace heapledger {
namespace {

using cores::LiveHeap;
using test::example_heap;
using test::kSecond;
using test::ledger_of;
using test::open_bytes;

Ledgers opened(const LiveHeap& heap, std::vector<std::string>* problems = nullptr) {
  return open_bytes({ledger_of(heap, problems)});
}

Answer by(Ledgers& ledgers, GroupBy group, const char* filter = "") {
  Question question;
  question.by = group;
  question.filter = parse_filter(filter);
  return ledgers.ask(question);
}

const Row& row_named(const Answer& answer, const std::string& name) {
  static const Row kNone;
  for (const Row& row : answer.rows) {
    if (row.name == name) return row;
  }
  ADD_FAILURE() << "no row " << name;
  return kNone;
}

using Sums = std::vector<uint64_t>;  // calls, bytes, live blocks, live bytes, frees, freed bytes

Sums sums(const Figures& figures) {
  return {figures.calls,      figures.bytes, figures.live_blocks,
          figures.live_bytes, figures.frees, figures.ended_bytes};
}

TEST(CoresLedger, SaysWhoseHeapItIs) {
  Ledgers ledgers = opened(example_heap());
  const LedgerFacts& facts = ledgers.facts().at(0);
  EXPECT_EQ(facts.pid, 4711u);
  EXPECT_EQ(facts.parent_pid, 4700u);
  EXPECT_EQ(facts.mode, 5u);
  EXPECT_TRUE(facts.live);
  EXPECT_TRUE(facts.has_times);
  EXPECT_FALSE(facts.sampled);
  EXPECT_FALSE(facts.exited);
  EXPECT_EQ(facts.machine, 62u);
  EXPECT_EQ(facts.start_wall_ns, 1'800'000'000 * kSecond);
  EXPECT_EQ(facts.duration_ns, 10 * kSecond);
  EXPECT_EQ(facts.command, (std::vector<std::string>{"app", "--fast run"}));
  EXPECT_EQ(facts.executable, "/bin/app");
  EXPECT_EQ(facts.host, "tower");
  EXPECT_EQ(facts.folder, "/srv");
  EXPECT_EQ(facts.runtime, "1.2.3");
  EXPECT_EQ(facts.allocator, "/lib/libc.so.6");
  EXPECT_EQ(facts.totals.missed, 3u);
  EXPECT_EQ(facts.totals.rss_peak_bytes, 1u << 20);
  ASSERT_EQ(facts.modules.size(), 2u);
  EXPECT_EQ(facts.modules[0].build_id, "\x01\xab");
  EXPECT_EQ(facts.modules[1].path, "/lib/libwork.so");
  EXPECT_EQ(facts.entries_by_kind[static_cast<unsigned>(format::Kind::kSiteBefore)], 2u);
}

TEST(CoresLedger, SaysWhyBlocksAreMissing) {
  LiveHeap heap = example_heap();
  heap.stop_reason = static_cast<uint32_t>(format::StopReason::kDiskFull);
  heap.stop_errno = ENOSPC;
  for (const std::string& bytes : {ledger_of(heap), test::sealed(ledger_of(heap))}) {
    Ledgers ledgers = open_bytes({bytes});
    const LedgerFacts& facts = ledgers.facts().at(0);
    EXPECT_EQ(facts.stopped, "the disk is full: No space left on device");
    EXPECT_FALSE(facts.complete);
  }
}

TEST(CoresLedger, ThreadsFromBeforeAForkAreNotItsOwn) {
  LiveHeap heap = example_heap();
  heap.threads[1].inherited = true;
  heap.threads.push_back({13, "idle", true});  // no block of its is left
  for (const std::string& bytes : {ledger_of(heap), test::sealed(ledger_of(heap))}) {
    Ledgers ledgers = open_bytes({bytes});
    const LedgerFacts& facts = ledgers.facts().at(0);
    EXPECT_EQ(own_threads(facts), 2u);  // worker, and nobody
    std::map<uint64_t, uint32_t> inherited;
    for (const ThreadFacts& thread : facts.threads) {
      if (is_inherited(thread)) inherited[thread.tid] = number_of(thread);
    }
    EXPECT_EQ(inherited, (std::map<uint64_t, uint32_t>{{11, 1}}));
    Answer answer = by(ledgers, GroupBy::kThread);
    EXPECT_EQ(row_named(answer, "main").all.live_bytes, 100u);
    EXPECT_EQ(row_named(answer, "worker").all.live_bytes, 1050u);
  }
}

TEST(CoresLedger, TotalsHaveWhatWasFreedBefore) {
  Ledgers ledgers = opened(example_heap());
  const Totals& totals = ledgers.overview().sums;
  EXPECT_EQ(totals.calls, 17u);
  EXPECT_EQ(totals.bytes, 2507u);
  EXPECT_EQ(totals.frees, 13u);
  EXPECT_EQ(totals.end_blocks, 4u);
  EXPECT_EQ(totals.end_bytes, 1157u);
  EXPECT_EQ(totals.peak_bytes, 1157u);
  EXPECT_EQ(totals.peak_time_ns, 10 * kSecond);
  EXPECT_EQ(totals.temporary_calls, 0u);
  EXPECT_EQ(sums(ledgers.overview().totals), (Sums{17, 2507, 4, 1157, 13, 1350}));
  for (uint64_t calls : ledgers.overview().by_function) EXPECT_EQ(calls, 0u);
}

TEST(CoresLedger, EverySiteHasItsAccount) {
  Ledgers ledgers = opened(example_heap());
  Answer answer = by(ledgers, GroupBy::kSite);
  ASSERT_EQ(answer.rows.size(), 4u);
  EXPECT_EQ(sums(answer.totals), (Sums{17, 2507, 4, 1157, 13, 1350}));
  const Figures& parse = row_named(answer, "app+0x1020").all;
  EXPECT_EQ(sums(parse), (Sums{10, 1000, 2, 150, 8, 850}));
  EXPECT_EQ(parse.peak_bytes, 400u);
  EXPECT_EQ(parse.smallest, 50u);
  EXPECT_EQ(parse.largest, 100u);
  const Figures& render = row_named(answer, "libwork.so+0x2000").all;
  EXPECT_EQ(sums(render), (Sums{1, 1000, 1, 1000, 0, 0}));
  EXPECT_EQ(render.peak_bytes, 1000u);
  const Figures& cache = row_named(answer, "app+0x1040").all;
  EXPECT_EQ(sums(cache), (Sums{5, 500, 0, 0, 5, 500}));
  EXPECT_EQ(cache.peak_bytes, 300u);
  EXPECT_EQ(cache.smallest, 0u);
  EXPECT_EQ(sums(row_named(answer, "[no stack]").all), (Sums{1, 7, 1, 7, 0, 0}));
}

TEST(CoresLedger, GroupsOfStacksHaveTheAccountsOfTheirSites) {
  Ledgers ledgers = opened(example_heap());
  EXPECT_EQ(sums(row_named(by(ledgers, GroupBy::kFunction), "app+0x1010").all),
            (Sums{16, 2500, 3, 1150, 13, 1350}));
  Answer modules = by(ledgers, GroupBy::kModule);
  EXPECT_EQ(sums(row_named(modules, "/lib/libwork.so").all), (Sums{1, 1000, 1, 1000, 0, 0}));
  EXPECT_EQ(sums(by(ledgers, GroupBy::kLedger).rows.at(0).all),
            (Sums{17, 2507, 4, 1157, 13, 1350}));
}

// The same figures when a pass of its own counts them.
TEST(CoresLedger, OwnPeaksOfGroupsAreAtLeastThoseOfTheirSites) {
  Ledgers ledgers = opened(example_heap());
  Question question;
  question.by = GroupBy::kModule;
  question.wanted.own_peaks = true;
  Answer answer = ledgers.ask(question);
  const Row& app = row_named(answer, "/bin/app");
  EXPECT_EQ(sums(app.all), (Sums{16, 2500, 3, 1150, 13, 1350}));
  EXPECT_EQ(app.all.peak_bytes, 1150u);  // main is on every stack: what is live now is more
  question.by = GroupBy::kFunction;
  answer = ledgers.ask(question);
  EXPECT_EQ(row_named(answer, "app+0x1020").all.peak_bytes, 400u);
}

TEST(CoresLedger, CallsBeforeHaveNoTimeSizeOrThread) {
  Ledgers ledgers = opened(example_heap());
  const Sums live{4, 1157, 4, 1157, 0, 0};
  EXPECT_EQ(sums(by(ledgers, GroupBy::kNothing, "size>=1").totals), live);
  EXPECT_EQ(sums(by(ledgers, GroupBy::kSize).totals), live);
  EXPECT_EQ(sums(by(ledgers, GroupBy::kLifetimeClass).totals), live);
  EXPECT_EQ(sums(by(ledgers, GroupBy::kNothing, "time=0s..10s").totals), live);
  EXPECT_EQ(ledgers.overview().sizes.count(), 4u);
  EXPECT_EQ(ledgers.overview().lifetimes.count(), 0u);
  Question question;
  question.between = {parse_moment("start"), parse_moment("end")};
  EXPECT_EQ(sums(ledgers.ask(question).totals), live);
}

TEST(CoresLedger, ThreadsKeepTheirBlocks) {
  Ledgers ledgers = opened(example_heap());
  Answer answer = by(ledgers, GroupBy::kThread);
  ASSERT_EQ(answer.rows.size(), 3u);
  EXPECT_EQ(row_named(answer, "main").all.live_bytes, 100u);
  EXPECT_EQ(row_named(answer, "main").key, 11u);
  EXPECT_EQ(row_named(answer, "worker").all.live_bytes, 1050u);
  EXPECT_EQ(row_named(answer, "worker").all.live_blocks, 2u);
  EXPECT_EQ(row_named(answer, "(unknown)").all.live_bytes, 7u);
}

TEST(CoresLedger, ThreadsWithoutBlocksAreThere) {
  LiveHeap heap = example_heap();
  heap.threads.push_back({13, "idle"});
  heap.blocks.pop_back();  // the one of nobody
  Ledgers ledgers = opened(heap);
  const std::vector<ThreadFacts>& threads = ledgers.facts().at(0).threads;
  ASSERT_EQ(threads.size(), 3u);
  EXPECT_EQ(threads[2].name, "idle");
  EXPECT_EQ(threads[2].tid, 13u);
}

TEST(CoresLedger, BlocksHaveTheirAges) {
  Ledgers ledgers = opened(example_heap());
  BlockList list = ledgers.blocks({});
  EXPECT_EQ(list.time_ns, 10 * kSecond);
  ASSERT_EQ(list.blocks.size(), 4u);
  EXPECT_EQ(list.blocks[0].address, 0x30000u);
  EXPECT_EQ(list.blocks[0].age_ns, 7 * kSecond);
  EXPECT_EQ(list.blocks[1].address, 0x10000u);
  EXPECT_EQ(list.blocks[1].age_ns, 9 * kSecond);
  EXPECT_EQ(list.blocks[3].size, 7u);
  std::vector<NamedFrame> frames = ledgers.frames(list.blocks[0].site);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].module, "/lib/libwork.so");
  EXPECT_EQ(frames[1].module, "/bin/app");
}

TEST(CoresLedger, SamplesStandForMore) {
  LiveHeap heap = example_heap();
  heap.sample_calls = 10;
  Ledgers ledgers = opened(heap);
  const LedgerFacts& facts = ledgers.facts().at(0);
  EXPECT_TRUE(facts.live);
  EXPECT_TRUE(facts.sampled);
  EXPECT_EQ(facts.sample_calls, 10u);
  EXPECT_EQ(facts.entries_by_kind[static_cast<unsigned>(format::Kind::kSiteBefore)], 0u);
  EXPECT_EQ(sums(ledgers.overview().totals), (Sums{40, 11570, 40, 11570, 0, 0}));
  EXPECT_GT(ledgers.overview().totals.live_error, 0);
}

TEST(CoresLedger, SamplesByBytesAreWeighedByTheirSize) {
  LiveHeap heap = example_heap();
  heap.sample_bytes = 100;
  Ledgers ledgers = opened(heap);
  // 1 / (1 - e^-10) is 1.00005, so the block of 1,000 bytes stands for itself or just above.
  uint64_t render = row_named(by(ledgers, GroupBy::kSite), "libwork.so+0x2000").all.live_bytes;
  EXPECT_GE(render, 1000u);
  EXPECT_LE(render, 1001u);
  // 100 / (1 - e^-1) + 50 / (1 - e^-0.5) is 158.2 + 127.1.
  uint64_t parse = row_named(by(ledgers, GroupBy::kSite), "app+0x1020").all.live_bytes;
  EXPECT_GE(parse, 285u);
  EXPECT_LE(parse, 287u);
}

TEST(CoresLedger, OfBlocksAtOneAddressTheLastIsKept) {
  LiveHeap heap = example_heap();
  heap.has_accounts = false;
  heap.blocks.push_back({0x10000, 333, 5 * kSecond, 3, 2});
  heap.blocks.push_back({0x10000, 444, 4 * kSecond, 3, 2});
  std::vector<std::string> problems;
  Ledgers ledgers = opened(heap, &problems);
  EXPECT_EQ(ledgers.overview().sums.end_bytes, 1157u - 100 + 333);
  EXPECT_EQ(ledgers.overview().sums.calls, 4u);
  EXPECT_EQ(ledgers.overview().sums.lost_frees, 0u);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("2 blocks"), std::string::npos) << problems[0];
}

TEST(CoresLedger, BlocksThatCannotBeAreLeftOut) {
  LiveHeap heap = example_heap();
  heap.blocks.push_back({0, 10, kSecond, 1, 1});
  heap.blocks.push_back({0x50000, UINT64_MAX, kSecond, 1, 1});
  std::vector<std::string> problems;
  EXPECT_EQ(opened(heap, &problems).overview().sums.end_bytes, 1157u);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("2 blocks"), std::string::npos) << problems[0];
  heap = example_heap();
  heap.shape.word_bytes = 4;
  heap.blocks.push_back({0xffff'fff0, 16, kSecond, 1, 1});
  heap.blocks.push_back({0xffff'f000, 16, kSecond, 1, 1});
  EXPECT_EQ(opened(heap, &problems).overview().sums.end_blocks, 5u);
  EXPECT_EQ(problems.size(), 1u);
}

TEST(CoresLedger, NumbersOfNothingAreNothing) {
  LiveHeap heap = example_heap();
  heap.sites[2].parent = 99;
  heap.sites[3].module = 99;
  heap.blocks[0].thread = 99;
  heap.blocks[1].site = 99;
  Ledgers ledgers = opened(heap);
  EXPECT_EQ(ledgers.overview().sums.end_bytes, 1157u);
  EXPECT_EQ(row_named(by(ledgers, GroupBy::kSite), "[no stack]").all.live_bytes, 107u);
  EXPECT_EQ(row_named(by(ledgers, GroupBy::kThread), "(unknown)").all.live_bytes, 1007u);
}

TEST(CoresLedger, ParentsMayComeAfterTheirChildren) {
  LiveHeap heap = example_heap();
  std::swap(heap.sites[1], heap.sites[4]);  // 4 is main now
  for (uint32_t child : {1u, 2u, 3u}) heap.sites[child].parent = 4;
  heap.sites[4].parent = 0;
  Ledgers ledgers = opened(heap);
  EXPECT_EQ(sums(row_named(by(ledgers, GroupBy::kFunction), "app+0x1010").all),
            (Sums{16, 2500, 3, 1150, 13, 1350}));
}

TEST(CoresLedger, StacksInCirclesAreCut) {
  LiveHeap heap = example_heap();
  heap.sites[1].parent = 3;  // main is called by render, which it calls
  std::vector<std::string> problems;
  Ledgers ledgers = opened(heap, &problems);
  EXPECT_EQ(ledgers.overview().sums.end_bytes, 1157u);
  for (const BlockFacts& block : ledgers.blocks({}).blocks) {
    EXPECT_LE(ledgers.frames(block.site).size(), 3u);
  }
  EXPECT_EQ(problems.size(), 1u);
}

TEST(CoresLedger, WithoutStacksAllIsOfOneSite) {
  LiveHeap heap = example_heap();
  heap.has_stacks = heap.has_accounts = heap.has_times = false;
  heap.sites.resize(1);
  heap.now_ns = 0;
  heap.started_ns = 0;
  Ledgers ledgers = opened(heap);
  Answer answer = by(ledgers, GroupBy::kSite);
  ASSERT_EQ(answer.rows.size(), 1u);
  EXPECT_EQ(answer.rows[0].name, "[no stack]");
  EXPECT_EQ(sums(answer.rows[0].all), (Sums{4, 1157, 4, 1157, 0, 0}));
  EXPECT_FALSE(ledgers.facts().at(0).has_times);
  EXPECT_EQ(ledgers.overview().duration_ns, 0u);
}

TEST(CoresLedger, AnEmptyHeapIsALedger) {
  Ledgers ledgers = opened(LiveHeap{});
  EXPECT_EQ(ledgers.overview().sums.calls, 0u);
  EXPECT_TRUE(ledgers.facts().front().complete);
}

TEST(CoresLedger, SeveralHeapsAreLiveTogether) {
  LiveHeap later = example_heap();
  later.started_ns += 100 * kSecond;  // when the other is over
  Ledgers ledgers = open_bytes({ledger_of(example_heap()), ledger_of(later)});
  EXPECT_EQ(ledgers.overview().totals.peak_bytes, 2u * 1157);
  EXPECT_EQ(by(ledgers, GroupBy::kSite).totals.live_bytes, 2u * 1157);
  EXPECT_EQ(by(ledgers, GroupBy::kThread).totals.live_bytes, 2u * 1157);
}

// Everything that a ledger of live blocks is asked for, for comparing.
using Everything = std::map<std::tuple<int, std::string, uint64_t>, Sums>;

Everything everything(Ledgers& ledgers) {
  Everything all;
  for (GroupBy group : {GroupBy::kSite, GroupBy::kFunction, GroupBy::kModule, GroupBy::kThread,
                        GroupBy::kSize, GroupBy::kLedger}) {
    Question question;
    question.by = group;
    Answer answer = ledgers.ask(question);
    Question only_live = question;
    only_live.only_live = true;
    Answer live = ledgers.ask(only_live);
    int number = static_cast<int>(group);
    all[{number, "all", 0}] = sums(answer.totals);
    all[{number, "live", 0}] = sums(live.totals);
    for (const Row& row : answer.rows) all[{number, row.name, row.key}] = sums(row.all);
    for (const Row& row : live.rows) all[{number, "live " + row.name, row.key}] = sums(row.all);
  }
  for (const BlockFacts& block : ledgers.blocks({}).blocks) {
    all[{-1, "", block.address}] = {block.size, block.age_ns, block.thread};
  }
  return all;
}

TEST(CoresLedger, SealedItSaysTheSame) {
  std::string raw = ledger_of(example_heap());
  std::string sealed = test::sealed(raw);
  EXPECT_EQ(test::contents(sealed), test::contents(raw));
  Ledgers one = open_bytes({raw});
  Ledgers other = open_bytes({sealed});
  EXPECT_TRUE(other.processes().at(0).live);
  EXPECT_EQ(everything(one), everything(other));
}

// Many blocks, few times: fillings and checkpoints are in the middle of an instant.
TEST(CoresLedger, ManyBlocksAtOneTimeSurvive) {
  constexpr uint64_t kBlocks = 60'000;
  std::mt19937_64 random(7);
  LiveHeap heap = example_heap();
  heap.has_accounts = false;
  heap.blocks.clear();
  std::map<uint32_t, uint64_t> by_thread;
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < kBlocks; ++i) {
    cores::LiveBlock block;
    block.address = 0x100000 + 4096 * i;
    block.size = random() % 4000;
    block.time = random() % 3 * kSecond;
    block.site = 2 + static_cast<uint32_t>(random() % 3);
    block.thread = 1 + static_cast<uint32_t>(random() % 2);
    bytes += block.size;
    by_thread[block.thread] += block.size;
    heap.blocks.push_back(block);
  }
  std::shuffle(heap.blocks.begin(), heap.blocks.end(), random);
  seal::SealOptions options;
  options.checkpoints.entries = 5000;
  options.checkpoints.entries_per_block = 0;
  std::string raw = ledger_of(heap);
  Ledgers one = open_bytes({raw});
  Ledgers other = open_bytes({test::sealed(raw, options)});
  EXPECT_EQ(one.overview().sums.end_blocks, kBlocks);
  EXPECT_EQ(one.overview().sums.end_bytes, bytes);
  Answer threads = by(one, GroupBy::kThread);
  EXPECT_EQ(row_named(threads, "main").all.live_bytes, by_thread[1]);
  EXPECT_EQ(row_named(threads, "worker").all.live_bytes, by_thread[2]);
  EXPECT_EQ(everything(one), everything(other));
  Question question;
  question.at = parse_moment("1s");
  question.only_live = true;
  EXPECT_EQ(sums(one.ask(question).totals), sums(other.ask(question).totals));
}

}  // namespace
}  // namespace heapledger
