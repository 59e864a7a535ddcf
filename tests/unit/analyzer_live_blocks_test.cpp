// The table of live blocks against std::map, over random histories that make it grow and collide.
#include "analyzer/live_blocks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>

namespace heapledger {
namespace {

TEST(LiveBlocks, DoesWhatAMapDoes) {
  for (uint64_t spread : {200u, 5'000u, 100'000u}) {
    std::mt19937_64 random(spread);
    LiveBlocks blocks;
    std::map<uint64_t, uint64_t> model;
    for (int i = 0; i < 300'000; ++i) {
      uint64_t address = 16 * (1 + random() % spread);
      if (random() % 2 == 0) {
        ASSERT_EQ(blocks.insert({address, random() % 1000, 0, 0, 0}),
                  model.emplace(address, 0).second);
        model[address] = blocks.find(address)->size;
      } else if (LiveBlock* block = blocks.find(address)) {
        ASSERT_EQ(model.at(address), block->size);
        model.erase(address);
        blocks.erase(block);
      } else {
        ASSERT_FALSE(model.contains(address));
      }
      ASSERT_EQ(blocks.size(), model.size());
    }
    uint64_t seen = 0;
    blocks.for_each([&](const LiveBlock& block) {
      ++seen;
      EXPECT_EQ(model.at(block.address), block.size);
    });
    EXPECT_EQ(seen, model.size());
  }
}

TEST(LiveBlocks, InsertKeepsWhatIsThere) {
  LiveBlocks blocks;
  EXPECT_TRUE(blocks.insert({0x1000, 1, 0, 0, 0}));
  EXPECT_FALSE(blocks.insert({0x1000, 2, 0, 0, 0}));
  EXPECT_EQ(blocks.find(0x1000)->size, 1u);
}

}  // namespace
}  // namespace heapledger
