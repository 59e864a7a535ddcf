// What is kept of a recording that goes on.
#include "server/readings.h"

#include <gtest/gtest.h>

#include "query_asker.h"

namespace heapledger::server {
namespace {

using test::World;

class ServerReadings : public testing::Test {
 protected:
  std::shared_ptr<Reading> reading(bool is_one_look, uint64_t held_bytes = 0) {
    Shown shown;
    shown.holder = ledgers_;
    shown.ledgers = ledgers_.get();
    shown.is_one_look = is_one_look;
    shown.held_bytes = held_bytes;
    Json json = {{"duration_ns", ++time_}};
    json["totals"] = {{"live_bytes", 10 * time_}, {"live_blocks", time_}};
    return std::make_shared<Reading>(std::move(shown), std::move(json));
  }

  // Their numbers, as a page is told them.
  static std::vector<uint64_t> numbers(const Readings& readings) {
    std::vector<uint64_t> numbers;
    for (const Json& one : readings.summary()) {
      numbers.push_back(one.find("number")->natural().value());
      EXPECT_EQ(one.find("live_bytes")->natural().value(), 10 * numbers.back());
      EXPECT_EQ(one.find("time_ns")->natural().value(), numbers.back());
    }
    return numbers;
  }

 private:
  static std::vector<Ledgers::Opener> opener(World& world) {
    std::vector<Ledgers::Opener> openers;
    openers.emplace_back([bytes = world.files().front()] { return in_memory("one", bytes); });
    return openers;
  }

  World world_{1, 1, 50};
  std::shared_ptr<Ledgers> ledgers_ = std::make_shared<Ledgers>(opener(world_), Options());
  uint64_t time_ = 0;
};

TEST_F(ServerReadings, OfATraceTheNewestIsAllOfIt) {
  Readings readings;
  EXPECT_TRUE(readings.empty());
  readings.add(reading(false));
  readings.add(reading(false));
  EXPECT_EQ(numbers(readings), std::vector<uint64_t>{2});
  EXPECT_EQ(readings.find(1), nullptr);
  EXPECT_EQ(readings.find(2), readings.newest());
}

TEST_F(ServerReadings, OfLooksTheFirstAndTheNewestStay) {
  Readings readings;
  for (uint64_t i = 1; i <= 500; ++i) {
    readings.add(reading(true));
    const std::vector<uint64_t> kept = numbers(readings);
    ASSERT_LE(kept.size(), Readings::kMost);
    ASSERT_EQ(kept.front(), 1u);
    ASSERT_EQ(kept.back(), i);
    ASSERT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  }
  // As many as fit, and more of them the newer they are.
  const std::vector<uint64_t> kept = numbers(readings);
  EXPECT_GT(kept.size(), Readings::kMost / 2);
  EXPECT_GT(kept[kept.size() / 2], 250u);
}

TEST_F(ServerReadings, LargeOnesAreFew) {
  Readings readings;
  for (int i = 0; i < 10; ++i) readings.add(reading(true, Readings::kMostBytes / 3));
  EXPECT_LE(numbers(readings).size(), 3u);
  EXPECT_EQ(numbers(readings).front(), 1u);
  EXPECT_EQ(numbers(readings).back(), 10u);
  // However large it is, the newest is there.
  readings.add(reading(true, Readings::kMostBytes * 2));
  EXPECT_EQ(numbers(readings), std::vector<uint64_t>{11});
}

}  // namespace
}  // namespace heapledger::server
