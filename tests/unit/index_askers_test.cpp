// Several threads ask the index at once, and none of them waits for a pass.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "analyzer/query/answer_json.h"
#include "query_asker.h"

namespace heapledger {
namespace {

using test::World;

// Once it is closed, whoever reads waits until it is opened.
struct Gate {
  std::atomic<bool> closed = false;
  std::latch reached{1};
  std::latch opened{1};

  void pass() {
    if (!closed.exchange(false)) return;
    reached.count_down();
    opened.wait();
  }
};

class GatedSource final : public ByteSource {
 public:
  GatedSource(std::unique_ptr<ByteSource> source, Gate& gate)
      : source_(std::move(source)), gate_(gate) {}
  const std::string& name() const override { return source_->name(); }
  uint64_t size() override { return source_->size(); }
  size_t read(uint64_t offset, void* to, size_t count) override {
    gate_.pass();
    return source_->read(offset, to, count);
  }

 private:
  std::unique_ptr<ByteSource> source_;
  Gate& gate_;
};

class IndexAskers : public testing::Test {
 protected:
  IndexAskers() : world_(7, 2, 3000), files_(world_.files()) {}

  Ledgers open() {
    std::vector<Ledgers::Opener> openers;
    for (const std::string& file : files_) {
      openers.emplace_back([this, &file] {
        return std::make_unique<GatedSource>(in_memory("gated.ledger", file), gate_);
      });
    }
    Ledgers ledgers(std::move(openers), {});
    ledgers.use_symbols(&world_.symbols());
    return ledgers;
  }

  std::vector<Question> questions(Ledgers& ledgers) const {
    const Edges edges = ledgers.edges();
    std::vector<Question> all;
    for (GroupBy by : {GroupBy::kNothing, GroupBy::kSite, GroupBy::kFunction, GroupBy::kFile,
                       GroupBy::kLine, GroupBy::kModule, GroupBy::kOwner, GroupBy::kPart}) {
      Question question;
      question.by = by;
      question.at = {MomentSpec::Kind::kTime, edges.time_of(edges.count / 3), 0, {}};
      all.push_back(question);
      question.at = parse_moment("peak");
      all.push_back(question);
      question.filter = parse_filter("function=!parse");
      question.between = {parse_moment("start"), all.front().at};
      question.wanted.no_range_peaks = true;
      all.push_back(question);
    }
    for (TreeShape tree : {TreeShape::kTopDown, TreeShape::kBottomUp}) {
      all.push_back(all.front());
      all.back().tree = tree;
    }
    return all;
  }

  World world_;
  std::vector<std::string> files_;
  Gate gate_;
};

TEST_F(IndexAskers, DoNotWaitForAPass) {
  Ledgers ledgers = open();
  ASSERT_TRUE(ledgers.make_index());
  const std::vector<Question> all = questions(ledgers);
  Question of_sizes;
  of_sizes.filter = parse_filter("size>=100");
  gate_.closed = true;
  std::jthread passing([&, mine = ledgers.for_asker({})]() mutable { mine.ask(of_sizes); });
  gate_.reached.wait();
  // While that pass stands still:
  for (const Question& question : all) {
    EXPECT_GT(ledgers.ask(question).totals.calls, 0u);
    EXPECT_FALSE(ledgers.timeline(question).live_bytes.empty());
  }
  EXPECT_GT(ledgers.overview().totals.calls, 0u);
  EXPECT_GT(ledgers.edges().count, 0u);
  EXPECT_TRUE(ledgers.is_in_index(all.front()));
  Question sites = all.front();
  sites.by = GroupBy::kSite;
  EXPECT_FALSE(ledgers.frames(ledgers.ask(sites).rows.at(0).site).empty());
  gate_.opened.count_down();
}

TEST_F(IndexAskers, GetWhatOneGets) {
  Ledgers one = open();
  ASSERT_TRUE(one.make_index());
  const std::vector<Question> all = questions(one);
  std::vector<std::string> expected;
  for (const Question& question : all) expected.push_back(to_json(one.ask(question)).line());

  Ledgers fresh = open();
  ASSERT_TRUE(fresh.make_index());
  constexpr size_t kThreads = 6;
  std::latch start(kThreads + 1);
  std::atomic<size_t> wrong = 0;
  std::vector<std::jthread> threads;
  for (size_t number = 0; number < kThreads; ++number) {
    threads.emplace_back([&, number, mine = fresh.for_asker({})]() mutable {
      start.arrive_and_wait();
      for (size_t i = 0; i < all.size(); ++i) {
        const size_t place = (i + number * 3) % all.size();
        if (to_json(mine.ask(all[place])).line() != expected[place]) ++wrong;
      }
    });
  }
  // And passes, other heaps and other names meanwhile.
  threads.emplace_back([&, mine = fresh.for_asker({})]() mutable {
    start.arrive_and_wait();
    Question of_sizes;
    of_sizes.filter = parse_filter("size>=100");
    of_sizes.by = GroupBy::kFunction;
    mine.ask(of_sizes);
    mine.use_symbols(&world_.symbols());
    mine.ask(of_sizes);
  });
  threads.clear();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace heapledger
